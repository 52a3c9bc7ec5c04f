import { describe, expect, it, vi } from 'vitest';
import { refuse, ValidationError } from '../../../lib/contract/errors.ts';
import { errorMapping } from '../../../lib/http/error-mapping.ts';
import { apiEvent } from '../../support/event.ts';
import { stepRequest } from '../../support/step.ts';

async function mapped(error: Error) {
  const log = { error: vi.fn() };
  const request = stepRequest(apiEvent({ requestId: 'r-7' }), { error });
  await errorMapping('getThing', () => log).onError?.(request);
  return {
    ...request.response,
    detail: JSON.parse(request.response?.body ?? '').detail,
    logged: log.error.mock.calls,
  };
}

describe('error mapping', () => {
  it('answers a refusal in its own words and headers, without a log line', async () => {
    expect(await mapped(refuse('unauthenticated', {}))).toMatchObject({
      statusCode: 401,
      detail: 'Invalid or missing credentials',
      headers: { 'content-type': 'application/json', 'www-authenticate': expect.any(String) },
      logged: [],
    });
    expect(await mapped(refuse('deployment_not_found', { id: 'd' }))).toMatchObject({
      statusCode: 404,
      detail: 'Deployment ID d not found.',
    });
    expect(await mapped(refuse('unavailable', { what: 'Git' }))).toMatchObject({
      statusCode: 503,
      headers: { 'retry-after': expect.any(String) },
    });
  });

  it('answers all problems of a validation', async () => {
    const items = [{ loc: ['body', 'a'], msg: 'Field required', type: 'missing' }];
    expect(await mapped(new ValidationError(items))).toMatchObject({
      statusCode: 422,
      detail: items,
      logged: [],
    });
  });

  it('says nothing of what was not foreseen, and logs it with the request’s id', async () => {
    const answer = await mapped(new TypeError('x is not a function'));
    expect(answer).toMatchObject({ statusCode: 500, detail: 'Internal server error' });
    expect(answer.logged).toEqual([
      [
        'unexpected error',
        expect.objectContaining({
          operation: 'getThing',
          request_id: 'r-7',
          error_message: 'x is not a function',
        }),
      ],
    ]);
  });

  it('logs no text that a parser quotes', async () => {
    const parse = () => JSON.parse('{"secret": canary}');
    let thrown: unknown;
    try {
      parse();
    } catch (error) {
      thrown = error;
    }
    if (!(thrown instanceof Error)) throw new Error('expected a parse error');
    expect(thrown.message).toContain('canary');
    expect(JSON.stringify((await mapped(thrown)).logged)).not.toContain('canary');
  });
});
