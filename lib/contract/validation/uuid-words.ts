import type { ValidationItem } from '../errors.ts';

/** What is wrong with an id, in the words that pydantic has for it. */

type Words = Pick<ValidationItem, 'type' | 'msg' | 'ctx'>;

const GROUP_LENGTHS = [8, 4, 4, 4, 12];

export const isUuidFormat = (format: unknown): boolean => format === 'guid' || format === 'uuid';

export const uuidType: Words = {
  type: 'uuid_type',
  msg: 'UUID input should be a string, bytes or UUID object',
};

/** Of a text that is no UUID: which character, group or length is wrong. */
export function uuidParsing(input: unknown): Words {
  const error = typeof input === 'string' ? mistakeIn(input) : undefined;
  const msg = 'Input should be a valid UUID';
  return error === undefined
    ? { type: 'uuid_parsing', msg }
    : { type: 'uuid_parsing', msg: `${msg}, ${error}`, ctx: { error } };
}

function mistakeIn(text: string): string | undefined {
  const at = text.search(/[^0-9a-f-]/i);
  if (at !== -1) {
    const found = String.fromCodePoint(text.codePointAt(at) ?? 0).toWellFormed();
    return `invalid character: found \`${found}\` at ${at + 1}`;
  }
  const groups = text.split('-');
  if (groups.length === 1) return `invalid length: expected length 36, found ${text.length}`;
  if (groups.length !== GROUP_LENGTHS.length)
    return `invalid group count: expected ${GROUP_LENGTHS.length}, found ${groups.length}`;
  const wrong = groups.findIndex((group, index) => group.length !== GROUP_LENGTHS[index]);
  if (wrong === -1) return undefined;
  return `invalid group length in group ${wrong}: expected ${GROUP_LENGTHS[wrong]}, found ${groups[wrong]?.length}`;
}
