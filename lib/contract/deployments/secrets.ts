import * as z from 'zod';
import { isReservedSecret } from '../../reserved-names.ts';
import { freeText } from '../validation/json.ts';
import { always, report, type ValidationProblem, valueError } from '../validation/problems.ts';

/** What responses show in place of a secret; sent back, it keeps the stored value. */
export const SECRET_MASK = '**********';
export const SECRETS_COUNT_MAX = 200;
export const SECRETS_SIZE_BYTES_MAX = 64 * 1024;
const NAME_LENGTH_MAX = 256;

/** Clients send their own key along; it is theirs, and never reaches an agent. */
const DROPPED_NAME = 'LANGGRAPH_HOST_API_KEY';

/** Names and values become environment variables: `=` would end the name, NUL the value. */
const badCharacters = (name: string): string | undefined =>
  /[=\0\r\n]/.test(name) ? 'a name contains no =, NUL or line break' : undefined;

const reserved = (name: string): string | undefined =>
  isReservedSecret(name) ? `the name ${name} is reserved` : undefined;

const variableName = z
  .string()
  .min(1)
  .max(NAME_LENGTH_MAX)
  .superRefine((name, ctx) => {
    for (const problem of [badCharacters(name), reserved(name)])
      if (problem !== undefined) report(ctx, valueError(problem));
  });

/** Why no server may be given a variable of this name, whoever gives it; undefined: it may. */
export function nameProblem(name: string): string | undefined {
  if (name === '' || name.length > NAME_LENGTH_MAX) return `a name has 1 to ${NAME_LENGTH_MAX} characters`;
  if (name === DROPPED_NAME) return `the name ${name} is reserved`;
  return badCharacters(name) ?? reserved(name);
}

/** NUL would end it, as the value of an environment variable. */
export const secretValue = () =>
  z.string().superRefine((value, ctx) => {
    if (value.includes('\0')) report(ctx, valueError('a value contains no NUL'));
  });

export const secret = z.object({ name: variableName, value: secretValue() });

export type Secret = z.output<typeof secret>;

/** Secrets as responses show them. */
export const maskedSecrets = z.array(z.object({ name: z.string(), value: z.literal(SECRET_MASK) }));
export const masked = (names: readonly string[]): z.input<typeof maskedSecrets> =>
  names.map((name) => ({ name, value: SECRET_MASK }));

/** Reports each name that an earlier entry of the list has. */
export function checkRepeatedNames(list: unknown, ctx: z.RefinementCtx): void {
  if (!Array.isArray(list)) return;
  const seen = new Set<unknown>();
  for (const [index, entry] of (list as unknown[]).entries()) {
    const name = typeof entry === 'object' && entry !== null && 'name' in entry ? entry.name : undefined;
    if (typeof name === 'string' && seen.has(name)) {
      report(ctx, valueError('the name is given more than once'), [index, 'name']);
    }
    seen.add(name);
  }
}

/** Checks the names and values of a list together; `what` they are called. */
export const sizeCheck =
  (what: string) =>
  (list: { name: string; value: string }[], ctx: z.RefinementCtx): void => {
    const sizeBytes = list.reduce((sum, { name, value }) => sum + Buffer.byteLength(name + value), 0);
    if (sizeBytes > SECRETS_SIZE_BYTES_MAX)
      report(ctx, valueError(`${what} have at most ${SECRETS_SIZE_BYTES_MAX} bytes in all`));
  };

/** A request's secrets. The mask in place of a value is resolved where the stored ones are known. */
export const secrets = z
  .array(secret)
  .max(SECRETS_COUNT_MAX)
  .superRefine(sizeCheck('secrets'))
  .superRefine(checkRepeatedNames, always)
  .transform((list) => list.filter(({ name }) => name !== DROPPED_NAME));

/**
 * Secrets that the compute target keeps itself: the agent sees `name`, its value is `secret_key` of
 * `secret_name` there.
 */
export const secretReference = z.object({
  name: variableName,
  secret_name: freeText.min(1),
  secret_key: freeText.min(1),
});
export const secretReferences = z
  .array(secretReference)
  .max(SECRETS_COUNT_MAX)
  .superRefine(checkRepeatedNames, always);
export type SecretReference = z.output<typeof secretReferences>[number];

type Named = { name: string };

/** The names that belong to a secret and to a reference. */
export function namesInBoth(list: readonly Named[], references: readonly Named[]): string[] {
  const names = new Set(list.map(({ name }) => name));
  return references.map(({ name }) => name).filter((name) => names.has(name));
}

/** What is said of such a name. */
export const nameInBoth = (name: string): ValidationProblem =>
  valueError(
    `${name} is the name of a secret and of a secret reference; a variable has one value, so give one`,
  );
