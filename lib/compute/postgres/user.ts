import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A user of this machine, by whom PostgreSQL runs. */
export type SystemUser = { name: string; uid: number; gid: number };

/** The user that PostgreSQL runs by where this program is root's, which PostgreSQL refuses to be. */
export const POSTGRES_USER = 'slipway-postgres';

/** The user of that name in the text of /etc/passwd. */
export function userNamed(
  name: string,
  passwd = readFileSync('/etc/passwd', 'utf8'),
): SystemUser | undefined {
  for (const line of passwd.split('\n')) {
    const [found, , uid, gid] = line.split(':');
    if (found === name) return { name, uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}

/** Whether a user may pass through all folders above `path`. Only permission bits are looked at, no access lists. */
export function canReach(path: string, { uid, gid }: Pick<SystemUser, 'uid' | 'gid'>): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid: owner, gid: group } = statSync(folder);
    const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
