import { type PrintedLevel, printedLevels } from '../settings/values.ts';

/** The output of a program for the person at its terminal: one readable line an event. */
export type Log = Record<PrintedLevel, (message: string) => void>;

/** Writes lines like `2026-11-21T10:00:00.000Z INFO  listener: …` from `level` up, with the name of the program. */
export function createLog(
  level: PrintedLevel,
  write: (line: string) => void = (line) => console.log(line),
  program = 'listener',
): Log {
  const at = (name: PrintedLevel) => (message: string) => {
    if (printedLevels.indexOf(name) < printedLevels.indexOf(level)) return;
    write(`${new Date().toISOString()} ${name.toUpperCase().padEnd(5)} ${program}: ${message}`);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
