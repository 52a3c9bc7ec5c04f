import { UsageError } from './ends.ts';

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The time that a flag names: how far from `now` (15m; `direction` -1: ago, 1: from now on), or itself
 * (2026-11-26T10:00:00Z). Throws `UsageError` for anything else.
 */
export function timeOf(flag: string, text: string, now: number, direction: 1 | -1): Date {
  const [, number = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const milliseconds =
    number === '' ? Date.parse(text) : now + direction * Number(number) * (units[unit] ?? 0);
  if (!Number.isNaN(milliseconds)) return new Date(milliseconds);
  throw new UsageError(
    `--${flag} is how long ${direction < 0 ? 'ago' : 'from now'} (15m, 2h, 90d) or a time (2026-11-26T10:00:00Z), not '${text}'.`,
  );
}
