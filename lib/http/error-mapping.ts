import { ApiError, errors, ValidationError } from '../contract/errors.ts';
import { exchangeOf, type Result, type Step } from './exchange.ts';
import { Replayed } from './replayed.ts';

export type ErrorLogger = { error(message: string, fields: Record<string, unknown>): void };

const JSON_HEADERS = { 'content-type': 'application/json' } as const;
const MESSAGE_LENGTH_MAX = 500;

const answer = (statusCode: number, detail: unknown, headers: Record<string, string> = {}): Result => ({
  statusCode,
  headers: { ...JSON_HEADERS, ...headers },
  body: JSON.stringify({ detail }),
});

/** The answer to what was thrown; undefined when it is none of our own words. */
export function knownErrorAnswer(error: unknown): Result | undefined {
  if (error instanceof Replayed) return error.answer;
  if (error instanceof ValidationError) return answer(422, error.items);
  if (error instanceof ApiError) return answer(error.status, error.message, error.headers);
  return undefined;
}

/** Facts about an unexpected error. A parser's message quotes what it read, which may be a secret: that one is left out. */
export function errorFacts(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error_name: typeof error };
  const quotes = error instanceof SyntaxError;
  return {
    error_name: error.name,
    error_message: quotes ? undefined : error.message.slice(0, MESSAGE_LENGTH_MAX),
    frames: error.stack?.split('\n').filter((line) => /^\s+at /.test(line)),
  };
}

/** Turns whatever was thrown into an answer; what we did not foresee is a 500 that says nothing and a log line that does. */
export const errorMapping = (operation: string, log: () => ErrorLogger): Step => ({
  onError: (request) => {
    const known = knownErrorAnswer(request.error);
    if (known === undefined) {
      const { requestId } = exchangeOf(request.event);
      log().error('unexpected error', { operation, request_id: requestId, ...errorFacts(request.error) });
    }
    request.response = known ?? answer(errors.internal.status, errors.internal.detail({}));
  },
});
