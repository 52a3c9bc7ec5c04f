/**
 * A revision's id is a UUIDv7 whose last 32 bits are the revision's number in its deployment: reading one by
 * id is one GetItem by number, then a comparison of the whole id.
 */
const NUMBER_HEX_DIGITS = 8;

/** Puts `revisionNumber` (1 .. 2^32 - 1) into the last 32 bits of a UUIDv7. */
export function revisionId(uuidV7: string, revisionNumber: number): string {
  return uuidV7.slice(0, -NUMBER_HEX_DIGITS) + revisionNumber.toString(16).padStart(NUMBER_HEX_DIGITS, '0');
}

/** The number an id claims; whether the revision of that number has that id is for the reader to compare. */
export function numberOf(id: string): number {
  return Number.parseInt(id.slice(-NUMBER_HEX_DIGITS), 16);
}
