import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/adapters/clock.ts';
import type { PageRequest } from '../../../lib/contract/browser/page.ts';
import * as rows from '../../../lib/features/consent/routes.ts';
import { pageEndpoint } from '../../../lib/http/endpoint.ts';
import { apiEvent, lambdaContext } from '../../support/http/event.ts';

describe.each([
  ['showBegin', rows.showBegin, { nonce: 'n' }],
  ['begin', rows.begin, { nonce: 'n' }],
  ['callbackPage', rows.callbackPage, { provider_id: 'idp' }],
] as const)('the page of %s', (_, row, params) => {
  async function shown(error: Error) {
    const run = async (_deps: object, _request: PageRequest): Promise<never> => {
      throw error;
    };
    const { method, path } = row;
    return pageEndpoint(row, run)(() => ({ clock: systemClock }))(
      apiEvent({ method, path, params }),
      lambdaContext(),
    );
  }

  it('says nothing of what went wrong on our side', async () => {
    const answer = await shown(new Error('role arn:aws:iam::123456789012:role/x is not authorized'));
    expect(answer).toMatchObject({
      statusCode: 500,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'Content-Security-Policy': expect.any(String),
        'Cache-Control': expect.any(String),
        'Referrer-Policy': expect.any(String),
        'x-request-id': expect.any(String),
      },
    });
    expect(answer.body).not.toContain('arn:');
  });

  it('says when to come again while the table is throttled', async () => {
    const throttled = new ProvisionedThroughputExceededException({ message: 'of table-name', $metadata: {} });
    const answer = await shown(throttled);
    expect(answer).toMatchObject({
      statusCode: 503,
      headers: { 'content-type': 'text/html; charset=utf-8', 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    expect(answer.body).not.toContain('table-name');
  });
});
