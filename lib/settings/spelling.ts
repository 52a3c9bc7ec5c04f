import type { Row } from './row.ts';

/** `buildSeconds` is `BUILD_SECONDS`. */
export type Screaming<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Uppercase<Head> : `_${Head}`}${Screaming<Tail>}`
  : '';

const parted = (name: string, separator: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `${separator}${letter.toLowerCase()}`);

/** As variables of functions are called: `buildSeconds` is `BUILD_SECONDS`. */
export function functionVariable<Name extends string>(name: Name): Screaming<Name> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same rule as the type's, on values
  return parted(name, '_').toUpperCase() as Screaming<Name>;
}

/** As variables of the embedded runtime and of listeners are called: `SLIPWAY_BUILD_SECONDS`. */
export const variableOf = (name: string, { variable }: Pick<Row, 'variable'>): string =>
  variable ?? `SLIPWAY_${functionVariable(name)}`;

/** As options of a listener are called: `drainSeconds` is `--drain-seconds`. */
export const optionOf = (name: string): string => `--${parted(name, '-')}`;
