/** An address of a source as people say it: `github.com/you/project`; of this machine, the folder's name. */
export function shortSource(address: string): string {
  const ssh = /^(?:ssh:\/\/)?git@([^:/]+)[:/](.+)$/.exec(address);
  const plain = ssh === null ? address.replace(/^https?:\/\//, '') : `${ssh[1]}/${ssh[2]}`;
  const short = plain.replace(/\.git$/, '').replace(/\/+$/, '');
  return short.startsWith('file:') ? (short.split('/').at(-1) ?? short) : short;
}
