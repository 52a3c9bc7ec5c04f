/**
 * Makes a value when it is first asked for, and keeps it.
 *
 * Schemas and route rows are wrapped in it: a bundler drops what a function does not use (a bare `z.object()` at module level
 * is never dropped), and a function pays at start only for the schemas it really parses with.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
