export const logLevels = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;
export type LogLevel = (typeof logLevels)[number];

const WORDS: Record<string, LogLevel> = {
  TRACE: 'DEBUG',
  DEBUG: 'DEBUG',
  INFO: 'INFO',
  NOTICE: 'INFO',
  WARN: 'WARNING',
  WARNING: 'WARNING',
  ERR: 'ERROR',
  ERROR: 'ERROR',
  FATAL: 'ERROR',
  CRITICAL: 'ERROR',
  PANIC: 'ERROR',
};

/**
 * A time at the start of a line, perhaps inside brackets. It takes whatever it can and never fails, so
 * nothing behind it makes it look again.
 */
const TIME = /[[(]?(?:[\d:.,+/\- ]|[TZ](?![A-Za-z]))*[\])]?\s*/y;
/** A word, perhaps inside brackets. */
const WORD = /[[(<]?([A-Za-z]+)(?=[\])>:|\s]|$)/y;

/** The first word: `[error]`, `12:00:01 WARN …`, `ERROR:`. */
function leadingWord(line: string): string | undefined {
  TIME.lastIndex = 0;
  TIME.test(line);
  WORD.lastIndex = TIME.lastIndex;
  return WORD.exec(line)?.[1];
}

function fromNumber(level: number): LogLevel {
  // The numbers of pino and bunyan.
  if (level >= 50) return 'ERROR';
  if (level >= 40) return 'WARNING';
  return level >= 30 ? 'INFO' : 'DEBUG';
}

function fromJson(line: string): LogLevel | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const entries = new Map<string, unknown>(Object.entries(parsed));
    const level = entries.get('level') ?? entries.get('severity') ?? entries.get('levelname');
    if (typeof level === 'number') return fromNumber(level);
    return typeof level === 'string' ? WORDS[level.toUpperCase()] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The level that a line of a server's output claims for itself; INFO when it claims none, also on standard
 * error.
 */
export function guessLevel(line: string): LogLevel {
  return fromJson(line) ?? WORDS[leadingWord(line)?.toUpperCase() ?? ''] ?? 'INFO';
}
