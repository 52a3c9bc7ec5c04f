import { exampleOf } from '../../lib/contract/openapi/examples/index.ts';
import { type RouteRow, readsBody } from '../../lib/contract/routes/route.ts';

/** Requests that are wrong in one place only, made of the examples of the description. */
export type HostileRequest = {
  what: string;
  row: RouteRow;
  /** Below the base address, with the query. */
  target: string;
  body?: Uint8Array<ArrayBuffer>;
  /** What has to be answered; absent: anything but a fault of ours. */
  expected?: { status: number; loc?: (string | number)[] };
};

type Json = unknown;
type Place = (string | number)[];
type Made = Record<string, string>;

const HALF = '\ud800';
const HALF_ENCODED = '%ED%A0%80';
/**
 * Names that every object of JavaScript has, or that a store may stumble over; as JSON, for a literal would
 * set the prototype.
 */
const OWN_NAMES =
  '{"__proto__":{"constructor":1},"constructor":{"__proto__":[]},"toString":null,"hasOwnProperty":0,"":"","length":-1}';

const bytes = (body: Json): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(body));
const isObject = (value: Json): value is object => typeof value === 'object' && value !== null;

/** Every place in `value` that `wanted` takes, the outermost first. */
function placesOf(value: Json, wanted: (member: Json) => boolean, at: Place = []): Place[] {
  const below = isObject(value)
    ? Object.entries(value).flatMap(([key, member]) =>
        placesOf(member, wanted, [...at, Array.isArray(value) ? Number(key) : key]),
      )
    : [];
  return wanted(value) ? [at, ...below] : below;
}

/** A copy with the member at `place` replaced by what `change` makes of it. */
function changedAt(value: Json, [first, ...rest]: Place, change: (member: Json) => Json): Json {
  if (first === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((member, at) => (at === first ? changedAt(member, rest, change) : member));
  const entries = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(
    entries.map(([key, member]) => [key, key === first ? changedAt(member, rest, change) : member]),
  );
}

/** The path of a route, its parameters replaced; what the fixtures do not have is made up. */
function pathOf({ path }: RouteRow, made: Made, instead: Made = {}): string {
  return path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => {
    const known = made[name.replace(/_id$/, '').toUpperCase()];
    return instead[name] ?? known ?? '0190a000-0000-7000-8000-00000000abcd';
  });
}

const namesOf = (schema: RouteRow['params']): string[] => Object.keys(schema?.shape ?? {});

function inAddress(row: RouteRow, made: Made): HostileRequest[] {
  const inPath = namesOf(row.params).map((name) => ({ part: 'path', name }) as const);
  const inQuery = [...namesOf(row.query), '__proto__'].map((name) => ({ part: 'query', name }) as const);
  return [...inPath, ...inQuery].flatMap(({ part, name }) =>
    ['%FF', HALF_ENCODED].map((text) => {
      const target =
        part === 'path' ? pathOf(row, made, { [name]: text }) : `${pathOf(row, made)}?${name}=${text}`;
      // Whose listener it is counts first, whatever it is called.
      const isOthers = part === 'path' && name === 'listener_id' && row.permission === 'listener:work';
      const refused = isOthers ? { status: 403 } : { status: 422, loc: [part, name] };
      const expected = text === '%FF' ? { status: 400 } : refused;
      const what = `${row.operation}: ${text} as ${part} ${name}`;
      // Pages are for people: they say so in another way.
      return row.page === undefined ? { what, row, target, expected } : { what, row, target };
    }),
  );
}

function inBody(row: RouteRow, made: Made): HostileRequest[] {
  const { body } = exampleOf(row.operation);
  if (body === undefined || !readsBody(row)) return [];
  // Nobody waits for work here.
  const example = row.operation === 'claimTasks' ? { ...Object(body), wait_seconds: 0 } : body;
  const target = pathOf(row, made);
  const request = (what: string, sent: Json) => ({
    what: `${row.operation}: ${what}`,
    row,
    target,
    body: bytes(sent),
  });
  const own: object = JSON.parse(OWN_NAMES);
  return [
    ...placesOf(example, (member) => isObject(member) && !Array.isArray(member)).map((place) =>
      request(
        `names of JavaScript at ${place.join('.')}`,
        changedAt(example, place, (member) => ({ ...own, ...Object(member) })),
      ),
    ),
    ...placesOf(example, (member) => typeof member === 'string').map((place) => ({
      ...request(
        `half a character at ${place.join('.')}`,
        changedAt(example, place, () => `a${HALF}`),
      ),
      expected: { status: 422, loc: ['body', ...place] },
    })),
    {
      ...request('half a character in a name', { ...Object(example), [HALF]: 1 }),
      expected: { status: 422, loc: ['body', '\ufffd'] },
    },
    {
      ...request('bytes that are not UTF-8', example),
      body: new Uint8Array([...bytes(example).subarray(0, -1), 0x2c, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      expected: { status: 400 },
    },
  ];
}

/** All of them of one route; `made`: what is there, by the names of parameters. */
export const hostileRequests = (row: RouteRow, made: Made): HostileRequest[] => [
  ...inAddress(row, made),
  ...inBody(row, made),
];
