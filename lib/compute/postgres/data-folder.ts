import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { printedBy } from '../../processes/tools.ts';
import { POSTGRES_VERSION, PostgresMissing } from './binaries.ts';
import { dataIn, PORT } from './client.ts';

const MAJOR = POSTGRES_VERSION.split('.')[0] ?? '';

/**
 * Makes sure that what lies where the data belong was made by PostgreSQL, of the major version that is
 * started here: another one cannot read it. Throws PostgresMissing, with nothing changed.
 */
export async function checkData(folder: string): Promise<void> {
  const data = dataIn(folder);
  if (!existsSync(data)) return;
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version === undefined)
    throw new PostgresMissing(
      `${data} is where PostgreSQL keeps its data, and what is there was not made by it. Move that away, or bring back the data`,
    );
  if (version.trim() !== MAJOR)
    throw new PostgresMissing(
      `The data in ${data} are of PostgreSQL ${version.trim()}, and this release runs ${MAJOR}, which cannot read them. Nothing was changed. Start the release that ran before, make a backup with it (npm run slipway -- backup), and restore that with this release into an empty folder`,
    );
}

const pidFile = (folder: string): string => join(dataIn(folder), 'postmaster.pid');

/** The process that has the data, or had them when it was killed; undefined where none is noted. */
export async function notedPid(folder: string): Promise<number | undefined> {
  const [first] = (await readFile(pidFile(folder), 'utf8').catch(() => '')).split('\n');
  const pid = Number(first);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

/**
 * A PostgreSQL that was killed leaves its pid, which may be another program's by now, above all in a
 * container: PostgreSQL would take that for itself and refuse to start. Only who has the listener's folder to
 * itself may ask.
 */
export async function removeStaleLock(folder: string, socketFolder: string): Promise<void> {
  const pid = await notedPid(folder);
  if (pid === undefined) return;
  const command = commandOf(pid);
  if (command?.startsWith('postgres') !== false) return;
  await rm(pidFile(folder), { force: true });
  const left = (await readdir(socketFolder)).filter((name) => name.startsWith(`.s.PGSQL.${PORT}`));
  await Promise.all(left.map((name) => rm(join(socketFolder, name), { force: true })));
}

/** The name of a living process's program; undefined where there is none, or it cannot be known. */
function commandOf(pid: number): string | undefined {
  try {
    const name = existsSync('/proc/self/comm')
      ? readFileSync(`/proc/${pid}/comm`, 'utf8')
      : printedBy('ps', ['-o', 'comm=', '-p', String(pid)]);
    return name.trim().split('/').at(-1);
  } catch {
    return undefined;
  }
}

/** What lines of PostgreSQL's log mean to who reads them, and what helps. */
const MEANINGS: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [
    /No space left on device|Check free disk space/,
    (folder) => `The disk that has ${folder} is full: make room there. What was committed stays`,
  ],
  [
    /\.(?:pid|lock)" already exists|pre-existing shared memory block/,
    (folder) => `Another PostgreSQL runs on ${folder}: end that`,
  ],
  [
    /wrong ownership|Permission denied/,
    (folder) => `Its user may not use ${folder}: give that folder, and what is in it, to it`,
  ],
  [/Cannot allocate memory/, () => 'The machine has too little memory for it'],
];

/** What the last of a log means, as a sentence of its own; empty where it speaks for itself. */
export function meaningOf(lines: readonly string[], folder: string): string {
  const found = MEANINGS.find(([pattern]) => lines.some((line) => pattern.test(line)));
  return found === undefined ? '' : `\n${found[1](folder)}.`;
}
