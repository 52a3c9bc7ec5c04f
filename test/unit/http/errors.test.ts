import * as dynamo from '@aws-sdk/client-dynamodb';
import * as ecr from '@aws-sdk/client-ecr';
import * as kms from '@aws-sdk/client-kms';
import { describe, expect, it, vi } from 'vitest';
import { refuse, ValidationError } from '../../../lib/contract/errors.ts';
import { errorAnswers, unavailable } from '../../../lib/http/errors.ts';
import { apiEvent } from '../../support/http/event.ts';
import { stepRequest } from '../../support/http/step.ts';

const facts = (httpStatusCode: number) => ({ message: 'for a reason', $metadata: { httpStatusCode } });
/** An error for which a client has no class of its own. */
const service = (name: string, httpStatusCode: number) =>
  new dynamo.DynamoDBServiceException({ name, $fault: 'client', ...facts(httpStatusCode) });

async function mapped(error: Error) {
  const log = { error: vi.fn() };
  const request = stepRequest(apiEvent({ requestId: 'r-7' }), { error });
  await errorAnswers('getThing', unavailable, () => log).onError?.(request);
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

  it.each([
    ['DynamoDB throttles', new dynamo.ProvisionedThroughputExceededException(facts(400))],
    ['DynamoDB limits requests', new dynamo.RequestLimitExceeded(facts(400))],
    ['DynamoDB throttles otherwise', service('ThrottlingException', 400)],
    ['DynamoDB fails', new dynamo.InternalServerError(facts(500))],
    ['KMS throttles', service('ThrottlingException', 400)],
    ['KMS fails', new kms.KMSInternalException(facts(500))],
    ['KMS waits for another', new kms.DependencyTimeoutException(facts(503))],
    ['S3 throttles', service('SlowDown', 503)],
    ['S3 fails', service('InternalError', 500)],
    ['STS throttles', service('Throttling', 400)],
    ['CodeBuild has too many requests', service('TooManyRequestsException', 429)],
    ['ECR fails', new ecr.ServerException(facts(500))],
    ['a service is gone', service('Unknown', 599)],
    ['nobody listens', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    ['an answer does not come', Object.assign(new Error('socket'), { name: 'TimeoutError' })],
  ])('answers 503 and when to come again when %s, and logs why', async (_, error) => {
    const answer = await mapped(error);
    expect(answer).toMatchObject({
      statusCode: 503,
      detail: 'A service that this one needs is not responding at the moment; try again.',
      headers: { 'content-type': 'application/json', 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    expect(answer.logged).toEqual([
      ['a service that was called is unavailable', expect.objectContaining({ error_message: error.message })],
    ]);
  });

  it.each([
    service('ValidationException', 400),
    service('AccessDeniedException', 400),
    service('ResourceNotFoundException', 400),
    new kms.DisabledException(facts(400)),
  ])('answers 500 to what no patience helps: $name', async (error) => {
    expect(await mapped(error)).toMatchObject({ statusCode: 500, detail: 'Internal server error' });
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
