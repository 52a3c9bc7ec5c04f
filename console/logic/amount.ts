const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const finer = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** `184`, `10,840`, `2.5`: small numbers with a decimal. */
export const amount = (value: number): string => (value < 10 ? fine : whole).format(value);

/** `0.2 %` of a share from 0 to 1; what is there is never shown as nothing. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.1) return '< 0.1 %';
  return `${(value < 10 ? fine : whole).format(value)} %`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `610 MB`, `1.5 GB`: in powers of a thousand. */
export function bytes(value: number): string {
  let rest = value;
  let unit = 0;
  while (rest >= 999.5 && unit < UNITS.length - 1) {
    rest /= 1_000;
    unit += 1;
  }
  return `${(rest < 10 && unit > 0 ? fine : whole).format(rest)} ${UNITS[unit]}`;
}

/** `0.4`: of processors. */
export const cores = (value: number): string => finer.format(value);

/** `320 ms`, `1.9 s`, `2 min`: how long an answer took. */
export function latency(milliseconds: number): string {
  if (milliseconds < 999.5) return `${whole.format(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  return seconds < 99.5 ? `${fine.format(seconds)} s` : `${fine.format(seconds / 60)} min`;
}
