/** Paths of fields of a request that nothing read. */
export type IgnoredFields = readonly string[];

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // It was cut within a character.
    return path;
  }
}

/** The fields that the header of an answer names. */
export const ignoredIn = (header: string): IgnoredFields =>
  header
    .split(',')
    .map((path) => decoded(path.trim()))
    .filter((path) => path !== '');
