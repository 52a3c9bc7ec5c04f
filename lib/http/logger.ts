import { Logger } from '@aws-lambda-powertools/logger';
import { once } from '../contract/once.ts';

const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT', 'CRITICAL'] as const;

/** The level the environment asks for, in any case; INFO when it asks for none that exists. */
export function logLevel(environment: NodeJS.ProcessEnv): (typeof levels)[number] {
  const asked = (environment.POWERTOOLS_LOG_LEVEL ?? environment.SLIPWAY_LOG_LEVEL ?? 'INFO').toUpperCase();
  return levels.find((level) => level === asked) ?? 'INFO';
}

/**
 * Structured log lines on standard output. Callers pass single named facts, never whole requests, headers or
 * bodies.
 */
export const logger = once(() => new Logger({ serviceName: 'slipway', logLevel: logLevel(process.env) }));

const MESSAGE_LENGTH_MAX = 500;

/**
 * Facts about an unexpected error. A parser's message quotes what it read, which may be a secret: that one is
 * left out.
 */
export function errorFacts(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error_name: typeof error };
  const quotes = error instanceof SyntaxError;
  return {
    error_name: error.name,
    error_message: quotes ? undefined : error.message.slice(0, MESSAGE_LENGTH_MAX),
    frames: error.stack?.split('\n').filter((line) => /^\s+at /.test(line)),
  };
}
