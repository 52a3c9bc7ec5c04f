import type * as z from 'zod';
import type { ValidationItem } from '../errors.ts';
import { nestsDeeperThan } from './json.ts';
import { isUuidFormat, uuidParsing, uuidType } from './uuid-words.ts';

/**
 * Turns what zod reports into the pydantic v2 vocabulary that clients of such APIs know. Nothing here fails
 * on any input: an issue without a word of its own becomes a `value_error`.
 */

/** Where in the request the value was. */
export type RequestPart = 'path' | 'query' | 'header' | 'body';

type Issue = z.core.$ZodIssue;
type Words = Omit<ValidationItem, 'loc' | 'input'>;

/** Anything below a field of these names may hold a secret, in whatever shape a client sends it. */
const SECRET_FIELDS: ReadonlySet<unknown> = new Set([
  'secrets',
  'build_secrets',
  'value',
  'lines',
  'repo_url',
  'custom_url',
  'token',
  'webhook_secret',
  'client_secret',
  'access_token',
  'refresh_token',
  'code',
  'state',
  'confirmation_code',
]);

// Larger values do not help to find the mistake, and would make the response larger than the request.
const INPUT_LENGTH_MAX = 1024;
const INPUT_DEPTH_MAX = 4;

/** zod says "number" of whatever is none, also where an integer is wanted; the schema itself knows better. */
const INTEGER_EXPECTED = 'integer expected';
/** zod says of an id that it is no string. */
const UUID_EXPECTED = 'uuid expected';

/** The message for a pattern without one. */
const PATTERN_EXPECTED = 'pattern expected';

const whatWasExpected: z.core.$ZodErrorMap = ({ code, inst }) => {
  if (code === 'invalid_format') return PATTERN_EXPECTED;
  if (code !== 'invalid_type' || inst === undefined || !('format' in inst._zod.def)) return undefined;
  if (isUuidFormat(inst._zod.def.format)) return UUID_EXPECTED;
  return 'type' in inst._zod.def && inst._zod.def.type === 'number' ? INTEGER_EXPECTED : undefined;
};

const bare = (type: string, msg: string): Words => ({ type, msg });

const wrongType: Record<string, Words> = {
  string: bare('string_type', 'Input should be a valid string'),
  number: bare('float_type', 'Input should be a valid number'),
  boolean: bare('bool_type', 'Input should be a valid boolean'),
  array: bare('list_type', 'Input should be a valid list'),
  object: bare('dict_type', 'Input should be a valid dictionary'),
  record: bare('dict_type', 'Input should be a valid dictionary'),
  null: bare('none_required', 'Input should be None'),
};

const fractional = bare(
  'int_from_float',
  'Input should be a valid integer, got a number with a fractional part',
);
const missing = bare('missing', 'Field required');

function invalidType(issue: z.core.$ZodIssueInvalidType): Words {
  if (issue.input === undefined) return missing;
  if (issue.expected === 'int') return fractional;
  if (issue.message === INTEGER_EXPECTED) return bare('int_type', 'Input should be a valid integer');
  if (issue.message === UUID_EXPECTED) return uuidType;
  return wrongType[issue.expected] ?? bare('value_error', 'Value error, the input has the wrong type');
}

const counted = (count: number | bigint, noun: string): string =>
  `${count} ${noun}${Number(count) === 1 ? '' : 's'}`;

function tooSmall({ origin, minimum, inclusive, input }: z.core.$ZodIssueTooSmall): Words {
  const bound = Number(minimum);
  if (origin === 'string') {
    const msg = `String should have at least ${counted(minimum, 'character')}`;
    return { type: 'string_too_short', msg, ctx: { min_length: bound } };
  }
  if (origin === 'array') {
    const length = Array.isArray(input) ? input.length : 0;
    const msg = `List should have at least ${counted(minimum, 'item')} after validation, not ${length}`;
    return { type: 'too_short', msg, ctx: { field_type: 'List', min_length: bound, actual_length: length } };
  }
  return inclusive === false
    ? { type: 'greater_than', msg: `Input should be greater than ${minimum}`, ctx: { gt: bound } }
    : {
        type: 'greater_than_equal',
        msg: `Input should be greater than or equal to ${minimum}`,
        ctx: { ge: bound },
      };
}

function tooBig({ origin, maximum, inclusive, input }: z.core.$ZodIssueTooBig): Words {
  const bound = Number(maximum);
  if (origin === 'string') {
    const msg = `String should have at most ${counted(maximum, 'character')}`;
    return { type: 'string_too_long', msg, ctx: { max_length: bound } };
  }
  if (origin === 'array') {
    const length = Array.isArray(input) ? input.length : 0;
    const msg = `List should have at most ${counted(maximum, 'item')} after validation, not ${length}`;
    return { type: 'too_long', msg, ctx: { field_type: 'List', max_length: bound, actual_length: length } };
  }
  return inclusive === false
    ? { type: 'less_than', msg: `Input should be less than ${maximum}`, ctx: { lt: bound } }
    : {
        type: 'less_than_equal',
        msg: `Input should be less than or equal to ${maximum}`,
        ctx: { le: bound },
      };
}

function invalidValue({ values, input }: z.core.$ZodIssueInvalidValue): Words {
  if (input === undefined) return missing;
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  const last = quoted.at(-1) ?? '';
  const expected = quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`;
  return {
    type: quoted.length < 2 ? 'literal_error' : 'enum',
    msg: `Input should be ${expected}`,
    ctx: { expected },
  };
}

/** zod gives a pattern as the text of a literal, with slashes and flags. */
const patternText = (literal: string): string => /^\/(.*)\/[a-z]*$/s.exec(literal)?.[1] ?? literal;

function invalidFormat(issue: z.core.$ZodIssueInvalidStringFormat): Words {
  if (isUuidFormat(issue.format)) return uuidParsing(issue.input);
  if (issue.format !== 'regex') return bare('value_error', `Value error, this is no valid ${issue.format}`);
  if (issue.message !== PATTERN_EXPECTED) return bare('value_error', `Value error, ${issue.message}`);
  const pattern = patternText(issue.pattern ?? '');
  return {
    type: 'string_pattern_mismatch',
    msg: `String should match pattern '${pattern}'`,
    ctx: { pattern },
  };
}

function custom({ params, message }: z.core.$ZodIssueCustom): Words {
  const type = typeof params?.type === 'string' ? params.type : 'value_error';
  const ctx: unknown = params?.ctx;
  return typeof ctx === 'object' && ctx !== null
    ? { type, msg: message, ctx: { ...ctx } }
    : { type, msg: message };
}

function words(issue: Issue): Words {
  switch (issue.code) {
    case 'invalid_type':
      return invalidType(issue);
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'invalid_value':
      return invalidValue(issue);
    case 'invalid_format':
      return invalidFormat(issue);
    case 'not_multiple_of': {
      const { divisor } = issue;
      return {
        type: 'multiple_of',
        msg: `Input should be a multiple of ${divisor}`,
        ctx: { multiple_of: divisor },
      };
    }
    case 'unrecognized_keys':
      return bare('extra_forbidden', 'Extra inputs are not permitted');
    case 'custom':
      return custom(issue);
    default:
      return bare('value_error', 'Value error, the input matches none of the allowed shapes');
  }
}

/** As deployments are called. */
const NAME = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/;

/** Of a name where the id of a deployment belongs: how one is found by it. */
function withWayOut(part: RequestPart, { path, input }: Issue, found: Words): Words {
  const isMeant = part === 'path' && path.length === 1 && path[0] === 'deployment_id';
  if (!isMeant || found.type !== 'uuid_parsing' || typeof input !== 'string' || !NAME.test(input))
    return found;
  return { ...found, msg: `${found.msg}; a name is found with GET /v2/deployments?name=${input}` };
}

/** A whole object, or its text, in the place of something else may hold anything, a secret too. */
const mayHoldSecret = (text: string): boolean =>
  [...SECRET_FIELDS].some((field) => text.includes(`"${String(field)}"`));

/** The offending value, when it is small and cannot be a secret. */
function shown(input: unknown, path: PropertyKey[]): { input?: unknown } {
  if (input === undefined || path.some((part) => SECRET_FIELDS.has(part))) return {};
  if (nestsDeeperThan(input, INPUT_DEPTH_MAX)) return {};
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return text.length > INPUT_LENGTH_MAX || mayHoldSecret(text) ? {} : { input };
}

/** What is said of JSON that is no object where a request's body has to be one. */
export const noObject = (body: unknown): ValidationItem => ({
  loc: ['body'],
  type: 'model_attributes_type',
  msg: 'Input should be a valid dictionary or object to extract fields from',
  ...shown(body, []),
});

const locPart = (part: PropertyKey): string | number => (typeof part === 'number' ? part : String(part));

type Parsed<T> = { value: T; items?: never } | { items: ValidationItem[] };

/**
 * Parses one part of a request: its value, or what is wrong with it, one item for each place. Never throws.
 */
export function parsePart<T extends z.ZodType>(
  part: RequestPart,
  schema: T,
  value: unknown,
): Parsed<z.output<T>> {
  const result = schema.safeParse(value, { reportInput: true, error: whatWasExpected });
  if (result.success) return { value: result.data };
  const items = result.error.issues.map((issue) => ({
    loc: [part, ...issue.path.map(locPart)],
    ...withWayOut(part, issue, words(issue)),
    ...shown(issue.input, issue.path),
  }));
  return { items: firstOfEachPlace(items) };
}

/**
 * Drops items whose place an earlier item names already: the first is the cause, the others follow from it.
 */
export function firstOfEachPlace(items: ValidationItem[]): ValidationItem[] {
  const places = new Map<string, ValidationItem>();
  for (const item of items) {
    const place = JSON.stringify(item.loc);
    if (!places.has(place)) places.set(place, item);
  }
  return [...places.values()];
}
