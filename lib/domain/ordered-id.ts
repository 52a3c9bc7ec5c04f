const TIME_DIGITS = 12;

/** The epoch milliseconds at which a UUIDv7 was made: its first 48 bits. */
export const timeOf = (id: string): number =>
  Number.parseInt(id.replaceAll('-', '').slice(0, TIME_DIGITS), 16);

/**
 * The beginning that UUIDv7s of this millisecond share; every one of an earlier millisecond sorts before it.
 */
export function prefixAt(epochMilliseconds: number): string {
  const digits = Math.max(0, Math.floor(epochMilliseconds)).toString(16).padStart(TIME_DIGITS, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8, TIME_DIGITS)}`;
}
