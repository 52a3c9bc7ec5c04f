import * as z from 'zod';

/** What a number counts. The name of its setting ends with it (`Seconds`, `Days`), or says what is counted. */
export type Unit = 'seconds' | 'days' | 'port' | 'count' | 'requests a second';

/** The values that a number may have, both ends included. */
export type Bounds = {
  unit: Unit;
  /** Absent: it has no value unless one is given. */
  default?: number;
  min: number;
  /** Absent: there is no upper bound. */
  max?: number;
  /** `5`, but not `0.5`. */
  whole: boolean;
  /** Why not more; part of the message about a wrong value. */
  reason?: string;
};

type Described = {
  /** What it does, as docs/configuration.md says it: Markdown, beginning in lower case. */
  does: string;
  /** The default on that page, in Markdown, where it is not the value that an absent setting has. */
  defaultShown?: string;
  /** What its variable is called, where that does not follow from the name. */
  variable?: string;
};

/**
 * One setting of one surface. Its key is its name in camelCase, the same on every surface that has it; each
 * surface writes it in its own case (lib/settings/spelling.ts).
 */
export type Row = Described & (Bounds | { schema: z.ZodType });

export type Rows = Readonly<Record<string, Row>>;

/** The value of a setting, once it is read. */
type Value<R> = R extends { default: number } ? number : number | undefined;

/** The schema of a row. */
export type SchemaOf<R> = R extends { schema: infer S extends z.ZodType } ? S : z.ZodType<Value<R>>;

/** `a whole number from 1 to 1000`, as the messages about wrong values say it. */
function wanted({ min, max, whole }: Bounds): string {
  const to = max === undefined ? ' on' : ` to ${max}`;
  return `${whole ? 'a whole number' : 'a number'} from ${min}${to}`;
}

/** A number as text, or one of a JSON file; an empty text is as good as none. */
function numberIn(bounds: Bounds): z.ZodType<number | undefined> {
  const { min, max = Infinity, whole } = bounds;
  return z
    .union([z.string(), z.number()])
    .optional()
    .transform((given, context) => {
      const text = String(given ?? '').trim();
      if (text === '') return bounds.default;
      const value = Number(text);
      const isNumber = /^\d+(\.\d+)?(e\d+)?$/i.test(text) && (!whole || Number.isInteger(value));
      if (isNumber && value >= min && value <= max) return value;
      const why = bounds.reason === undefined ? '' : `: ${bounds.reason}`;
      context.addIssue({ code: 'custom', message: `must be ${wanted(bounds)}, not '${given}'${why}` });
      return z.NEVER;
    });
}

export const schemaOf = (row: Row): z.ZodType => ('schema' in row ? row.schema : numberIn(row));

/** The schemas of a surface's settings, by name. */
export function schemasOf<const R extends Rows>(rows: R): { [Name in keyof R]: SchemaOf<R[Name]> } {
  const schemas = Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, schemaOf(row)]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names, each with the schema of its own row
  return schemas as { [Name in keyof R]: SchemaOf<R[Name]> };
}
