import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { variablesOf } from '../variables.ts';
import type { Machine } from './machine.ts';

/** No name of a variable has a hyphen. */
const ENVIRONMENT = 'slipway-environment';
const MOUNTED = `/run/${ENVIRONMENT}`;

const hasVariables = ({ job }: Pick<Machine, 'job'>): boolean =>
  job.buildEnv.length + job.buildSecrets.length > 0;

/**
 * The options of `docker build` that bind the job's variables to it: all of them together as one file of
 * shell, which the Dockerfiles made here read, and for a Dockerfile of the project's own each secret under
 * its name and each other variable as a build argument. Values of secrets are in files that go with the work
 * folder, never in options.
 */
export async function bindVariables(machine: Pick<Machine, 'job' | 'work'>): Promise<string[]> {
  const { job, work } = machine;
  if (!hasVariables(machine)) return [];
  const folder = join(work, 'secrets');
  await mkdir(folder, { mode: 0o700, recursive: true });
  const bind = async (id: string, text: string): Promise<string[]> => {
    const file = join(folder, id);
    await writeFile(file, text, { mode: 0o600 });
    return ['--secret', `id=${id},src=${file}`];
  };
  const lines = Object.entries(variablesOf(job)).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  const options = [await bind(ENVIRONMENT, lines.join(''))];
  for (const { name, value } of job.buildSecrets) options.push(await bind(name, value));
  const shown = job.buildEnv.flatMap(({ name, value }) => ['--build-arg', `${name}=${value}`]);
  return [...options.flat(), ...shown];
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The beginning of an instruction that runs a line of shell, with its flags. */
const RUN = /^RUN((?: +--\S+)*) +(?! |--|\[|<<)/gim;
/** Of a plan: what installs and builds, but not what seals. */
const STEPS = ['/slipway/builder.mjs install ', '/slipway/builder.mjs build '];

/** Whether the command that begins at `start` is one of those, behind the program that runs it. */
function isStep(dockerfile: string, start: number): boolean {
  const space = dockerfile.indexOf(' ', start);
  if (space === -1 || dockerfile.slice(start, space).includes('\n')) return false;
  return STEPS.some((step) => dockerfile.startsWith(step, space + 1));
}

/**
 * A Dockerfile in which the job's variables are in the environment of all that it runs, of a plan only in
 * that of its commands. Nothing of them stays in the image, and their values are not in the text.
 */
export function withVariables(
  machine: Pick<Machine, 'job'>,
  dockerfile: string,
  runs: 'all' | 'steps',
): string {
  if (!hasVariables(machine)) return dockerfile;
  // Whatever user the commands run as has them in its environment.
  const mount = `--mount=type=secret,id=${ENVIRONMENT},target=${MOUNTED},mode=0444`;
  return dockerfile.replaceAll(RUN, (begin: string, flags: string, at: number) =>
    runs === 'all' || isStep(dockerfile, at + begin.length) ? `RUN${flags} ${mount} . ${MOUNTED} && ` : begin,
  );
}
