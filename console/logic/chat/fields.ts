import { fieldAt, isRecord, type Json, listAt, shown, textAt, words } from './json.ts';

/** A form made of a JSON schema, or of a value that is to be answered with one like it. */
export type FormField = {
  name: string;
  label: string;
  kind: 'text' | 'long' | 'number' | 'yes-no' | 'choice' | 'json';
  /** Of a choice: what may be chosen, as JSON values. */
  options: readonly unknown[];
  isRequired: boolean;
  isWhole: boolean;
  about: string | undefined;
  /** As the field holds it: a text, `true` or `false`, or JSON. */
  initial: string;
};

/** A schema of somebody's may describe anything: what lies deeper is edited as JSON. */
const FIELDS_MAX = 100;
const REFERENCES_MAX = 20;
const LONG_TEXT = 60;

/** The fields of an object's schema; undefined: it describes no object with fields. */
export function fieldsOf(schema: unknown): FormField[] | undefined {
  const resolved = resolvedIn(schema, schema);
  const properties = fieldAt(resolved, 'properties');
  if (!isRecord(properties)) return undefined;
  const required = new Set(listAt(resolved, 'required'));
  return Object.entries(properties)
    .slice(0, FIELDS_MAX)
    .map(([name, property]) => fieldOf(name, resolvedIn(property, schema), required.has(name)));
}

/** Without references, and without the choice between a thing and nothing. */
function resolvedIn(given: unknown, root: unknown): unknown {
  let schema = given;
  for (let steps = 0; steps < REFERENCES_MAX; steps += 1) {
    const target = textAt(schema, '$ref');
    const choices = [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')].filter(
      (each) => textAt(each, 'type') !== 'null',
    );
    const next = target === undefined ? choices[0] : pointed(root, target);
    if (next === undefined || (target === undefined && choices.length !== 1)) return schema;
    const { $ref: _, anyOf: __, oneOf: ___, ...rest } = isRecord(schema) ? schema : {};
    schema = { ...(isRecord(next) ? next : {}), ...rest };
  }
  return schema;
}

const pointed = (root: unknown, pointer: string): unknown =>
  pointer.startsWith('#/')
    ? pointer
        .slice(2)
        .split('/')
        .reduce<unknown>((at, name) => fieldAt(at, name), root)
    : undefined;

function fieldOf(name: string, schema: unknown, isRequired: boolean): FormField {
  const type = typeOf(schema);
  const options =
    'const' in (isRecord(schema) ? schema : {}) ? [fieldAt(schema, 'const')] : listAt(schema, 'enum');
  const given = fieldAt(schema, 'default');
  const title = textAt(schema, 'title');
  return {
    name,
    label: title !== undefined && title.length <= 80 ? title : words(name),
    kind: options.length > 0 ? 'choice' : (kinds[type] ?? 'json'),
    options,
    isRequired,
    isWhole: type === 'integer',
    about: textAt(schema, 'description')?.slice(0, 1_000),
    initial: given === undefined || given === null ? '' : shown(given),
  };
}

const kinds: Record<string, FormField['kind'] | undefined> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'yes-no',
};

function typeOf(schema: unknown): string {
  const type = fieldAt(schema, 'type');
  const all: unknown[] = Array.isArray(type) ? type : [type];
  const first = all.find((each) => each !== 'null');
  return typeof first === 'string' ? first : '';
}

/** A form that is filled with the members of a value, so that they can be changed and sent back. */
export const fieldsOfValue = (value: Json): FormField[] =>
  Object.entries(value)
    .slice(0, FIELDS_MAX)
    .map(([name, member]) => ({
      name,
      label: words(name),
      kind: kindOfValue(member),
      options: [],
      isRequired: member !== null,
      isWhole: false,
      about: undefined,
      initial: member === null ? '' : shown(member),
    }));

function kindOfValue(value: unknown): FormField['kind'] {
  if (typeof value === 'string') return value.length > LONG_TEXT || value.includes('\n') ? 'long' : 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'yes-no';
  return 'json';
}

export type Typed = Readonly<Record<string, string>>;
export type Filled = { value: Json; problems: Record<string, string> };

/** What the fields hold at first. */
export const initialOf = (fields: readonly FormField[]): Typed =>
  Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));

/** The object that was typed in, and what is wrong with it by field. An empty field that may be is left out. */
export function filled(fields: readonly FormField[], typed: Typed): Filled {
  const value: Json = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? '';
    // Who empties a text that was there says that it is to be empty.
    const isEmptied = field.isRequired && field.initial !== '' && ['text', 'long'].includes(field.kind);
    if (text === '' && !isEmptied) {
      if (field.isRequired) problems[field.name] = `${field.label} is needed.`;
      continue;
    }
    const read = valueOf(field, text);
    if ('problem' in read) problems[field.name] = read.problem;
    else value[field.name] = read.value;
  }
  return { value, problems };
}

function valueOf(
  { kind, label, options, isWhole }: FormField,
  text: string,
): { value: unknown } | { problem: string } {
  if (kind === 'text' || kind === 'long') return { value: text };
  if (kind === 'yes-no') return { value: text === 'true' };
  if (kind === 'choice') return { value: options.find((option) => shown(option) === text) };
  if (kind === 'number') {
    const number = Number(text.replace(',', '.'));
    if (!Number.isFinite(number)) return { problem: `${label} is a number, such as 12.5.` };
    if (isWhole && !Number.isInteger(number)) return { problem: `${label} is a whole number.` };
    return { value: number };
  }
  return readJson(text, label);
}

/** A value that was typed as JSON. */
export function readJson(text: string, label: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { problem: `${label} is not valid JSON. ${said}` };
  }
}
