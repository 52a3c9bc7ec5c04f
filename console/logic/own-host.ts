import type { Deployment } from '../../lib/client/endpoints.ts';

/**
 * The address of a host that is the deployment's alone, where it is served at `http://localhost/…/<name>`:
 * the listener of a machine answers at its name in `localhost` too. Null anywhere else.
 */
export function ownHostOf({ name, url }: Pick<Deployment, 'name' | 'url'>): string | null {
  const at = url === null ? null : URL.parse(url);
  if (at?.hostname !== 'localhost' || !at.pathname.replace(/\/$/, '').endsWith(`/${name}`)) return null;
  return `${at.protocol}//${name}.${at.host}/`;
}
