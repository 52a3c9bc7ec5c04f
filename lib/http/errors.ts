import { ApiError, errors, refuse, VALIDATION_CODE, ValidationError } from '../contract/errors.ts';
import { isUnavailable } from '../core/unavailable.ts';
import type { Middleware, Result } from './exchange.ts';
import { errorFacts, logger } from './logger.ts';

export type ErrorLogger = { error(message: string, fields: Record<string, unknown>): void };

/** Thrown to end the chain with an answer that was given before. */
export class Replayed extends Error {
  readonly answer: Result;

  constructor(answer: Result) {
    super('the request was answered before');
    this.name = 'Replayed';
    this.answer = answer;
  }
}

const answer = (
  statusCode: number,
  code: string,
  detail: unknown,
  headers: Record<string, string> = {},
  more: object | '' = {},
): Result => ({
  statusCode,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ detail, code, ...more }),
});

/** The answer to what was thrown; undefined when it is none of our own words. */
export function knownErrorAnswer(error: unknown): Result | undefined {
  if (error instanceof Replayed) return error.answer;
  if (error instanceof ValidationError) return answer(422, VALIDATION_CODE, error.items);
  if (error instanceof ApiError) {
    const { status, code, message, headers, oauth } = error;
    return answer(status, code, message, headers, oauth && { error: oauth, error_description: message });
  }
  return undefined;
}

/** The refusal in place of an error of what this service calls; undefined for any other error. */
export const unavailable = (error: unknown): ApiError | undefined =>
  isUnavailable(error) ? refuse('unavailable', { what: 'A service that this one needs' }) : undefined;

/** What the log says of an error that is none of our own words, and is answered with this refusal, if any. */
export const shownMessageOf = (refusal: ApiError | undefined): string =>
  refusal === undefined ? 'unexpected error' : 'a service that was called is unavailable';

/** For functions that call no service: none can be unavailable. */
export const callsNothing = (): undefined => undefined;

/**
 * Turns whatever was thrown into an answer. What a dependency cannot do now is a 503 (`refusalOf` tells such
 * errors), what was not foreseen a 500; both say nothing of the error, and a log line does.
 */
export const errorAnswers = (
  operation: string,
  refusalOf: (error: unknown) => ApiError | undefined,
  log: () => ErrorLogger = logger,
): Middleware => ({
  onError: (request) => {
    const known = knownErrorAnswer(request.error);
    if (known !== undefined) {
      request.response = known;
      return;
    }
    const { requestId } = request.event.requestContext;
    const refusal = refusalOf(request.error);
    log().error(shownMessageOf(refusal), { operation, request_id: requestId, ...errorFacts(request.error) });
    request.response = refusal
      ? answer(refusal.status, refusal.code, refusal.message, refusal.headers)
      : answer(errors.internal.status, 'internal', errors.internal.detail({}));
  },
});
