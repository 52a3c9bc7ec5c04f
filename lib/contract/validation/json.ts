import * as z from 'zod';
import { anyObject } from './as-given.ts';
import { report, type ValidationProblem, valueError } from './problems.ts';

/** A free string of a request may have so many characters. */
export const TEXT_LENGTH_MAX = 2048;

/** Free-form JSON may nest so deep: DynamoDB stores 32 levels, and ours lie some levels down in an item. */
export const JSON_DEPTH_MAX = 16;

export const freeText = z.string().max(TEXT_LENGTH_MAX);

type WithoutNulls<T> = { [K in keyof T]: Exclude<T[K], null> };

/**
 * Clients send null for "not given": drops such members of one object, so that a use case sees one kind of
 * absence.
 */
export function withoutNulls<T extends object>(value: T): WithoutNulls<T> {
  const given = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets the types of the keys
  return Object.fromEntries(given) as WithoutNulls<T>;
}

/**
 * True when `value` nests deeper than `levels`; never descends further than that, however deep the value is.
 */
export function nestsDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsDeeperThan(member, levels - 1));
}

function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > TEXT_LENGTH_MAX;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => key.length > TEXT_LENGTH_MAX || hasLongText(member));
}

/** DynamoDB keeps no smaller ones but 0, and its client takes no larger ones than are exact. */
const NUMBER_MIN = 1e-130;
export const NUMBER_MAX = Number.MAX_SAFE_INTEGER;

function hasNumberOutOfRange(value: unknown): boolean {
  if (typeof value === 'number')
    return value !== 0 && (Math.abs(value) > NUMBER_MAX || Math.abs(value) < NUMBER_MIN);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNumberOutOfRange);
}

/** Why JSON of a client's own shape cannot be kept as it is; undefined when it can. */
export function keepingProblem(value: unknown): ValidationProblem | undefined {
  if (nestsDeeperThan(value, JSON_DEPTH_MAX))
    return valueError(`nested deeper than ${JSON_DEPTH_MAX} levels`);
  return hasNumberOutOfRange(value)
    ? valueError(`a number is 0, or between ${NUMBER_MIN} and ${NUMBER_MAX} on either side of it`)
    : undefined;
}

type Context = Parameters<typeof report>[0];

const tooLong: ValidationProblem = {
  type: 'string_too_long',
  msg: `String should have at most ${TEXT_LENGTH_MAX} characters`,
  ctx: { max_length: TEXT_LENGTH_MAX },
};

function checkFreeJson(value: unknown, ctx: Context): void {
  const problem = keepingProblem(value) ?? (hasLongText(value) ? tooLong : undefined);
  if (problem !== undefined) report(ctx, problem);
}

/** Texts as long as the whole may be, each by its own name. */
function checkLongTexts(value: Record<string, unknown>, ctx: Context): void {
  const others = Object.entries(value).map(([key, member]) => [
    key,
    typeof member === 'string' ? '' : member,
  ]);
  checkFreeJson(Object.fromEntries(others), ctx);
}

/** JSON of the client's own shape, kept as it is. */
export const freeJson = z.unknown().superRefine(checkFreeJson);

/** An object of the client's own shape, kept as it is. */
export const freeObject = anyObject(checkFreeJson);

/** Such an object whose own texts have no limit but that of the whole: annotations hold whole documents. */
export const longTexts = anyObject(checkLongTexts);
