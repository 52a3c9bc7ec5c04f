/**
 * Creates a value at its first use and keeps it, so that a function pays for a client, or for reading the
 * environment, only if it uses it. A `make` that throws is called again.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
