import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTableLogs } from '../../../lib/adapters/aws/logs.ts';
import { pause } from '../../../lib/client/request.ts';
import { slipway } from '../../support/programs/user-cli.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const line = { id: '1-0', timestamp: 1, level: 'INFO', message: 'no wheel' };
const revision = (id: string, status: string) => ({ id, deployment_id: 'd', status, status_message: null });

/** An installation whose log of a failed build ends this much later than the build. */
function installation(lagMilliseconds: number): typeof fetch {
  const deployment = { id: 'd', name: 'agent', active_revision_id: '1', latest_revision_id: '2' };
  const answers: Record<string, unknown> = {
    '/v2/deployments': { resources: [deployment], offset: 1 },
    '/v2/deployments/d/revisions/1': revision('1', 'DEPLOYED'),
    '/v2/deployments/d/revisions/2': revision('2', 'BUILD_FAILED'),
    '/v2/deployments/d/revisions/1/redeploy': deployment,
    '/v2/deployments/d/revisions/2/logs': { logs: [line], next_offset: null },
  };
  return async (input, init) => {
    if (new Headers(init?.headers).get('Accept') !== 'text/event-stream')
      return Response.json(answers[new URL(String(input)).pathname]);
    await pause(lagMilliseconds, init?.signal ?? undefined);
    const end = `event: end\ndata: {"status":"BUILD_FAILED"}\n\n`;
    return new Response(`id: ${line.id}\ndata: ${JSON.stringify(line)}\n\n${end}`);
  };
}

it('shows what a failed build printed, as late as it comes on AWS', async () => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'us-east-1' }));
  const { lagMilliseconds } = createTableLogs({ client, name: 'none' }, Date);
  const environment = { SLIPWAY_URL: 'http://api.example', SLIPWAY_API_KEY: 'key' };
  const running = slipway({ fetch: installation(lagMilliseconds), environment, now: Date.now }, [
    'restart',
    'agent',
  ]);
  await vi.advanceTimersByTimeAsync(2 * lagMilliseconds);
  const { exit, stderr } = await running;
  expect([exit, stderr]).toEqual([3, expect.stringContaining('  no wheel\n')]);
});
