import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { logger } from '../http/logger.ts';
import type { Log } from '../listener/log.ts';
import { type PrintedLevel, printedLevels } from '../settings/values.ts';

const LEFT_OUT = new Set(['level', 'message', 'timestamp', 'service', 'sampling_rate', 'xray_trace_id']);

/** A line of a function's structured log as a person reads it: the message, then `name=value`. */
export function readableLine(json: string): { level: PrintedLevel; message: string } {
  const entry: Record<string, unknown> = parseObject(json) ?? { message: json };
  const level = printedLevels.find((name) => name === String(entry.level).toLowerCase()) ?? 'info';
  const facts = Object.entries(entry)
    .filter(([name, value]) => !LEFT_OUT.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const { message = '' } = entry;
  return {
    level,
    message: [typeof message === 'string' ? message : JSON.stringify(message), ...facts].join(' '),
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** From now on the functions' structured log goes to `log`, line by line. */
export function readFunctionLogs(log: Log): void {
  const stdout = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      for (const line of String(chunk).split('\n').filter(Boolean)) {
        const { level, message } = readableLine(line);
        log[level](message);
      }
      done();
    },
  });
  // The logger has no other way to say where its lines go.
  Reflect.set(logger(), 'console', new Console({ stdout, stderr: stdout }));
}
