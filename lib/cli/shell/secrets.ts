import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Deployment } from '../../client/endpoints.ts';
import { Ended, UsageError } from './ends.ts';
import type { Shell } from './shell.ts';
import type { World } from './world.ts';

export type Secret = { name: string; value: string };

/** What stands for a stored value: sent back, it keeps that value. */
const MASK = '**********';

/** The secrets of `--secret A[=B]` and `--env-file`; a name alone takes its value from the environment. */
export function givenSecrets(
  { environment, cwd }: Pick<World, 'environment' | 'cwd'>,
  { secret = [], 'env-file': file }: { secret?: readonly string[]; 'env-file'?: string },
): Secret[] {
  const ofFile = file === undefined ? [] : fileSecrets(resolve(cwd, file));
  const ofFlags = secret.map((text) => {
    const [name, value] = nameAndValue(text);
    const known = value ?? environment[name];
    if (known === undefined)
      throw new UsageError(
        `--secret ${name} has no value, and the environment has no variable of this name.`,
      );
    return { name, value: known };
  });
  return named([...ofFile, ...ofFlags]);
}

/** `A=B`, or a name alone. */
export function nameAndValue(text: string): [name: string, value: string | undefined] {
  const at = text.indexOf('=');
  const [name, value] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  if (name === '') throw new UsageError(`'${text}' has no name: NAME=VALUE.`);
  return [name, value];
}

/** The later one counts. */
const named = (secrets: readonly Secret[]): Secret[] =>
  Object.entries(Object.fromEntries(secrets.map(({ name, value }) => [name, value]))).map(
    ([name, value]) => ({
      name,
      value,
    }),
  );

function fileSecrets(file: string): Secret[] {
  try {
    return Object.entries(parseEnv(readFileSync(file, 'utf8'))).map(([name, value]) => ({
      name,
      value: value ?? '',
    }));
  } catch (error) {
    throw new Ended(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The list that a PATCH replaces the stored one with: new values for these, the stored ones for all others. */
export function withSecrets({ secrets }: Pick<Deployment, 'secrets'>, changed: readonly Secret[]): Secret[] {
  const stored = secrets.map(({ name }) => ({ name, value: MASK }));
  return named([...stored, ...changed]);
}

/** A secret that is typed unseen; without a terminal, what stdin has. Throws `UsageError` for nothing. */
export async function secretLine({ canAsk, world }: Shell, what: string): Promise<string> {
  const value = canAsk
    ? await world.stdin.line(`${what}: `, true)
    : (await world.stdin.text()).replace(/\r?\n$/, '');
  if (value === undefined || value === '') throw new UsageError(`${what}: nothing was given.`);
  return value;
}
