/**
 * Makes a value when it is first asked for, and keeps it: a client, or what is read from the environment, costs nothing in a
 * function that never needs it. A `make` that throws is called again.
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
