import { isUnavailable } from '../app/unavailable.ts';
import { ApiError, errors, refuse, ValidationError } from '../contract/errors.ts';
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

/** The refusal in place of an error of what this service calls; undefined for any other error. */
export const unavailable = (error: unknown): ApiError | undefined =>
  isUnavailable(error) ? refuse('unavailable', { what: 'A service that this one needs' }) : undefined;

/** What the log says of an error that is none of our own words, and is answered with this refusal, if any. */
export const messageOf = (refusal: ApiError | undefined): string =>
  refusal === undefined ? 'unexpected error' : 'a service that was called is unavailable';

/**
 * Turns whatever was thrown into an answer. What a dependency cannot do now is a 503, what we did not foresee a 500; both say nothing of the error,
 * and a log line does.
 */
export const errorMapping = (operation: string, log: () => ErrorLogger): Step => ({
  onError: (request) => {
    const known = knownErrorAnswer(request.error);
    if (known !== undefined) {
      request.response = known;
      return;
    }
    const { requestId } = exchangeOf(request.event);
    const refusal = unavailable(request.error);
    log().error(messageOf(refusal), { operation, request_id: requestId, ...errorFacts(request.error) });
    request.response = refusal
      ? answer(refusal.status, refusal.message, refusal.headers)
      : answer(errors.internal.status, errors.internal.detail({}));
  },
});
