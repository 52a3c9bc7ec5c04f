const steps: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const JUST_NOW_SECONDS = 10;

/** `3 minutes ago`, of an ISO time; `now` in epoch milliseconds. */
export function ago(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  if (Number.isNaN(seconds)) return at;
  if (Math.abs(seconds) < JUST_NOW_SECONDS) return 'just now';
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** `850 ms`, `4.2 s`, `1 min 5 s`, `2 h 3 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min${whole % 60 === 0 ? '' : ` ${whole % 60} s`}`;
  const hours = Math.floor(minutes / 60);
  return `${hours} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`;
}

/** `8 s`, `12 min`, `2 h`, `9 d`: how long ago, for a narrow column; `now` in epoch milliseconds. */
export function shortAgo(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000));
  if (Number.isNaN(seconds)) return at;
  if (seconds < JUST_NOW_SECONDS) return 'now';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  const days = Math.floor(seconds / 86_400);
  return days < 365 ? `${days} d` : `${Math.floor(days / 365)} y`;
}
