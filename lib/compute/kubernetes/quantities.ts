const DECIMAL = 1000;
const BINARY = 1024;
/** How often 1000 or 1024 a suffix stands for. */
const SUFFIXES: Record<string, number> = {
  n: DECIMAL ** -3,
  u: DECIMAL ** -2,
  m: DECIMAL ** -1,
  '': 1,
  k: DECIMAL,
  M: DECIMAL ** 2,
  G: DECIMAL ** 3,
  T: DECIMAL ** 4,
  P: DECIMAL ** 5,
  Ki: BINARY,
  Mi: BINARY ** 2,
  Gi: BINARY ** 3,
  Ti: BINARY ** 4,
  Pi: BINARY ** 5,
};

/** The number that a quantity of Kubernetes stands for, such as `250m` or `1Gi`; undefined: it is none. */
export function quantityOf(text: string): number | undefined {
  const [, number, suffix = ''] = /^([+-]?\d+(?:\.\d*)?)([A-Za-z]*)$/.exec(text) ?? [];
  const factor = SUFFIXES[suffix];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

/** Memory in MB of 1024 x 1024 bytes, as `resource_spec` counts them. */
export const megabytesOf = (text: string): number => Math.round((quantityOf(text) ?? 0) / BINARY ** 2);
