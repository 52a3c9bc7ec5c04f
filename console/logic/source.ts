import type { Deployment } from '../../lib/client/endpoints.ts';

/** What a list shows of a source without an image; null: its branch and commit. */
const words: Record<Deployment['source'], string | null> = {
  github: null,
  external_docker: 'Image',
  internal_docker: 'Upload',
  internal_source: 'Upload',
};

/** Whether it is built from a repository, whose branch may have moved on. */
export const isFromGit = ({ source_config: { repo_url: url } }: Pick<Deployment, 'source_config'>): boolean =>
  typeof url === 'string';

export const sourceWord = ({ source }: Pick<Deployment, 'source'>): string | null => words[source];

/** An address of a source as people say it: `github.com/you/project`; of this machine, the folder's name. */
export function shortSource(address: string): string {
  const ssh = /^(?:ssh:\/\/)?git@([^:/]+)[:/](.+)$/.exec(address);
  const plain = ssh === null ? address.replace(/^https?:\/\//, '') : `${ssh[1]}/${ssh[2]}`;
  const short = plain.replace(/\.git$/, '').replace(/\/+$/, '');
  return short.startsWith('file:') ? (short.split('/').at(-1) ?? short) : short;
}

/** The same without its host: `acme/agent`. */
export function repositoryName(address: string): string {
  const short = shortSource(address);
  const slash = short.indexOf('/');
  return /[.:]/.test(short.slice(0, Math.max(0, slash))) ? short.slice(slash + 1) : short;
}
