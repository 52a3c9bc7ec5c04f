import type * as z from 'zod';

/** Names the fields of a request's body that nothing reads. */
export const IGNORED_HEADER = 'X-Slipway-Ignored';

export const IGNORED_COUNT_MAX = 20;
export const IGNORED_PATH_LENGTH_MAX = 100;

type Schema = z.core.$ZodType;
type Shape = Readonly<Record<string, Schema>>;
/** What schemas of one place say of it. */
type Place = { shapes: Shape[]; elements: Schema[]; takesAll: boolean };

const read = new WeakMap<Schema, Place>();

function placeOf(schema: Schema): Place {
  const known = read.get(schema);
  if (known !== undefined) return known;
  const place = readPlace(schema);
  read.set(schema, place);
  return place;
}

const none: Place = { shapes: [], elements: [], takesAll: false };

function readPlace(schema: Schema): Place {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every schema of the library is one of these
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      // With a catchall it keeps what it does not know, or refuses it.
      return { ...none, shapes: [def.shape], takesAll: def.catchall !== undefined };
    case 'array':
      return { ...none, elements: [def.element] };
    case 'union':
      return together(def.options);
    case 'pipe':
      return placeOf(isTransform(def.in) ? def.out : def.in);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return placeOf(def.innerType);
    default:
      return { ...none, takesAll: true };
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every schema of the library is one of these
const isTransform = (schema: Schema): boolean => (schema as z.core.$ZodTypes)._zod.def.type === 'transform';

function together(schemas: readonly Schema[]): Place {
  const places = schemas.map(placeOf);
  return {
    shapes: places.flatMap(({ shapes }) => shapes),
    elements: places.flatMap(({ elements }) => elements),
    takesAll: places.some(({ takesAll }) => takesAll),
  };
}

const fieldsNamed = (places: readonly Schema[], name: string): Schema[] =>
  together(places).shapes.flatMap((shape) => (Object.hasOwn(shape, name) ? (shape[name] ?? []) : []));

const elementsOf = (places: readonly Schema[]): Schema[] => together(places).elements;

/**
 * The paths of fields that a request's body has and its schema does not read, in the order of the body, at
 * most `IGNORED_COUNT_MAX`. Null is "not given" here too. `shown` are schemas of answers: what they name was
 * sent back by a client that changes what it got. Each path is percent-encoded and cut; no value is in it.
 */
export function ignoredFields(body: Schema, shown: readonly Schema[], value: unknown): string[] {
  const found: string[] = [];
  collect([body], shown, value, '', found);
  return found;
}

function collect(
  asked: readonly Schema[],
  shown: readonly Schema[],
  value: unknown,
  path: string,
  found: string[],
): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const [ofAsked, ofShown] = [elementsOf(asked), elementsOf(shown)];
    if (ofAsked.length === 0) return;
    for (const [index, element] of (value as unknown[]).entries()) {
      if (found.length >= IGNORED_COUNT_MAX) return;
      collect(ofAsked, ofShown, element, within(path, String(index)), found);
    }
    return;
  }
  const { takesAll, shapes } = together(asked);
  if (shapes.length === 0) return;
  for (const [name, member] of Object.entries(value)) {
    if (found.length >= IGNORED_COUNT_MAX) return;
    if (member === null) continue;
    const [ofAsked, ofShown] = [fieldsNamed(asked, name), fieldsNamed(shown, name)];
    if (ofAsked.length > 0) collect(ofAsked, ofShown, member, within(path, name), found);
    else if (!takesAll && ofShown.length === 0) found.push(within(path, name));
  }
}

/** A path is longest where it is cut, however long the names are. */
function within(path: string, name: string): string {
  const start = name.slice(0, IGNORED_PATH_LENGTH_MAX).toWellFormed();
  const whole = `${path === '' ? '' : `${path}.`}${encodeURIComponent(start)}`;
  return whole.slice(0, IGNORED_PATH_LENGTH_MAX).replace(/%[0-9A-F]?$/, '');
}
