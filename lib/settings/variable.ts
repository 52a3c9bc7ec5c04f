import type * as z from 'zod';
import type * as functionVariables from './functions.ts';

/** Reads the value of one variable of functions. */
export type Variable<In, Out> = ((source?: Record<string, string | undefined>) => Out) & {
  /** What the infrastructure gives: a type alone. */
  readonly given?: In;
};

/**
 * A variable of functions. Reading it throws an error that names it when it is missing or malformed; an empty
 * one counts as absent. The schema is made when it is first read, and left out of bundles that never read it.
 */
export function variable<S extends z.ZodType>(
  name: string,
  schema: () => S,
): Variable<z.input<S>, z.output<S>> {
  return (source = process.env) => {
    const parsed = schema().safeParse(source[name] === '' ? undefined : source[name]);
    if (!parsed.success) throw new Error(`The environment variable ${name} is missing or malformed`);
    return parsed.data;
  };
}

type Variables = typeof functionVariables;
export type VariableName = keyof Variables;

/** Those that only the infrastructure of agents can give. */
export type AgentVariableName = Extract<VariableName, `AGENTS_${string}`>;

/**
 * What must be set for a function that reads the variables `N`; the infrastructure declares its functions'
 * environment with it.
 */
export type Environment<N extends VariableName = VariableName> = {
  [Name in N]: Variables[Name] extends Variable<infer In, unknown> ? In : never;
};
