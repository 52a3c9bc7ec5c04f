import { describe, expect, it, vi } from 'vitest';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';
import { createDeployment } from '../../../lib/features/deployments/routes.ts';
import { claimTasks } from '../../../lib/features/listener-protocol/routes.ts';
import { logLevel } from '../../../lib/http/logger.ts';
import { accessLog } from '../../../lib/http/trace.ts';
import { apiEvent } from '../../support/http/event.ts';
import { stepRequest } from '../../support/http/step.ts';
import { aCaller } from '../../support/world/caller.ts';

async function lines(row: RouteRow) {
  const log = { debug: vi.fn(), info: vi.fn() };
  const step = accessLog(row, () => log);
  const event = apiEvent({
    headers: { 'x-api-key': 'canary' },
    body: { value: 'canary' },
    query: { q: 'canary' },
  });
  const request = stepRequest(event, {
    response: { statusCode: 201, body: 'canary' },
    internal: { caller: aCaller() },
  });
  await step.before?.(request);
  await step.after?.(request);
  return log;
}

describe('the line of a request', () => {
  it('names operation, caller, status and time, and nothing that was said', async () => {
    const { info } = await lines(createDeployment);
    expect(info.mock.calls).toEqual([
      [
        'request',
        {
          operation: 'createDeployment',
          request_id: 'request-1',
          status: 201,
          duration_ms: expect.any(Number),
          tenant_id: aCaller().tenantId,
          key_id: aCaller().keyId,
        },
      ],
    ]);
  });

  it('is for debugging only where clients ask again and again', async () => {
    const { info, debug } = await lines(claimTasks);
    expect(info).not.toHaveBeenCalled();
    expect(debug).toHaveBeenCalledOnce();
  });

  it.each([
    [{}, 'INFO'],
    [{ SLIPWAY_LOG_LEVEL: 'debug' }, 'DEBUG'],
    [{ SLIPWAY_LOG_LEVEL: 'debug', POWERTOOLS_LOG_LEVEL: 'WARN' }, 'WARN'],
    [{ SLIPWAY_LOG_LEVEL: 'loud' }, 'INFO'],
  ])('has the level of %j', (environment, level) => {
    expect(logLevel(environment)).toBe(level);
  });
});
