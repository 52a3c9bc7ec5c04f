/** Ports that an address need not say. */
const DEFAULT_PORTS: Record<string, string> = {
  'https:': '443',
  'http:': '80',
  'ssh:': '22',
  'git:': '9418',
};
const SCP_ADDRESS = /^(?:[\w.-]+@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/\/)(.+)$/;

/**
 * The name under which all addresses of one repository are found: host and path, without scheme, user, `.git`
 * and trailing slashes, in lower case, as hosts of repositories know no difference.
 * `https://Host/Team/App.git`, `ssh://git@host/team/app` and `git@host:team/app` are `host/team/app`.
 * Undefined: this is no address.
 */
export function repositoryName(address: string): string | undefined {
  const scp = address.includes('://') ? undefined : SCP_ADDRESS.exec(address);
  if (scp) return joined(scp[1] ?? '', scp[2] ?? '');
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(address);
  if (protocol === 'file:') return joined('file:', pathname);
  if (DEFAULT_PORTS[protocol] === undefined || hostname === '') return undefined;
  const isDefault = port === '' || port === DEFAULT_PORTS[protocol];
  return joined(isDefault ? hostname : `${hostname}:${port}`, pathname);
}

function joined(host: string, path: string): string | undefined {
  const name = path
    .split('/')
    .filter((part) => part !== '')
    .join('/')
    .replace(/(?<=[^/])\.git$/i, '');
  return name === '' ? undefined : `${host}/${name}`.toLowerCase();
}
