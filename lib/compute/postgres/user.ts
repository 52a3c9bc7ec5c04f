import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { childEnvironment } from '../../processes/environment.ts';
import { describeExit, type Processes, runCommand } from '../../processes/run-command.ts';
import { PostgresMissing } from './binaries.ts';

/** A user of this machine, by whom PostgreSQL runs. */
export type SystemUser = { name: string; uid: number; gid: number };

const MAKE_USER = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];

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

/**
 * Whom PostgreSQL runs as: a user of its own where this program is root's, made if it is not there; else
 * undefined, as this program does. Throws PostgresMissing.
 */
export async function postgresUser(
  processes: Processes,
  name: string,
  signal: AbortSignal,
  isRoot = process.getuid?.() === 0,
): Promise<SystemUser | undefined> {
  if (!isRoot) return undefined;
  const found = userNamed(name);
  if (found !== undefined) return found;
  const exit = await runCommand(
    processes,
    {
      command: 'useradd',
      args: [...MAKE_USER, name],
      cwd: '/',
      environment: childEnvironment(),
      onLine: () => undefined,
    },
    signal,
  );
  const made = userNamed(name);
  if (made !== undefined) return made;
  throw new PostgresMissing(
    `PostgreSQL refuses to run as root, and the user ${name} could not be made for it: useradd ${describeExit(exit)}. Make that user, or run Slipway as a user other than root`,
  );
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
