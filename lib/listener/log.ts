const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** The listener's own output: one readable line an event. */
export type Log = Record<LogLevel, (message: string) => void>;

export function isLogLevel(text: string): text is LogLevel {
  return LEVELS.some((level) => level === text);
}

/** Writes lines like `2026-11-21T10:00:00.000Z INFO  listener: …` from `level` up. */
export function createLog(level: LogLevel, write: (line: string) => void = (line) => console.log(line)): Log {
  const at = (name: LogLevel) => (message: string) => {
    if (LEVELS.indexOf(name) < LEVELS.indexOf(level)) return;
    write(`${new Date().toISOString()} ${name.toUpperCase().padEnd(5)} listener: ${message}`);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
