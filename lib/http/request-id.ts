import { exchangeOf, type Result, type Step } from './exchange.ts';

const mark = (response: Result | null | undefined, requestId: string): void => {
  if (response) response.headers = { ...response.headers, 'x-request-id': requestId };
};

/** `X-Request-Id` on every answer, errors included: what a person quotes and the log finds. */
export const requestId = (): Step => ({
  before: ({ event }) => {
    exchangeOf(event);
  },
  after: ({ event, response }) => mark(response, exchangeOf(event).requestId),
  onError: ({ event, response }) => mark(response, exchangeOf(event).requestId),
});
