import { expect, it } from 'vitest';
import { hintOf } from '../../lib/core/identity/api-key.ts';
import { expectApi, type Installation, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import type { Tour } from './tour.ts';

type AuditEvent = {
  action: string;
  key_id: string | null;
  request_id: string | null;
  resource_id: string | null;
  count: number;
  details: Record<string, unknown>;
};
type Listed<T> = { resources: T[] };

const list = async <T>(slipway: Installation, path: string): Promise<T[]> =>
  (await expectApi<Listed<T>>(slipway, 'GET', path, undefined, 200)).resources;

/** Waits for an audit event of this kind that is as it should be. */
const heard = (slipway: Installation, action: string, isIt: (event: AuditEvent) => boolean) =>
  until(
    async () => (await list<AuditEvent>(slipway, `/v2/audit-events?action=${action}&limit=100`)).find(isIt),
    { what: `the audit event ${action}` },
  );

/** What endpoints only say in their logs, and one function reads there and writes down. */
export function noteTests(at: () => Tour): void {
  it('keeps which secrets a function that only reads has handed out, and to whom', async () => {
    const { slipway, machine } = at();
    const [hello] = await list<ShownDeployment>(slipway, '/v2/deployments?name=hello');
    const path = `/v2/listeners/${machine.id}/deployments/${hello?.id}/spec`;
    const headers = { 'x-api-key': machine.apiKey };
    const { status, headers: answered } = await fetch(slipway.baseUrl + path, { headers });
    expect(status).toBe(200);
    const requestId = answered.get('x-request-id');
    const event = await heard(slipway, 'revision_spec.read', (each) => each.request_id === requestId);
    expect(event).toMatchObject({ resource_id: hello?.active_revision_id, count: 1 });
  });

  it('counts whom functions that only read have refused', async () => {
    const { slipway, machine } = at();
    // One event counts a caller's refusals of an hour, and shows the reason of the first: whatever that was.
    const counted = async (isIt: (event: AuditEvent) => boolean) => {
      const events = await list<AuditEvent>(slipway, '/v2/audit-events?action=request.refuse&limit=100');
      return {
        event: events.find(isIt),
        count: events.filter(isIt).reduce((sum, { count }) => sum + count, 0),
      };
    };
    // Asked again and again: a log line may be dropped on its way.
    const refusedTwiceMore = async (apiKey: string, status: number, isIt: (event: AuditEvent) => boolean) => {
      const before = await counted(isIt);
      return until(
        async () => {
          await expectApi({ ...slipway, apiKey }, 'GET', '/v2/deployments', undefined, status);
          const { event, count } = await counted(isIt);
          return count >= before.count + 2 && event;
        },
        { what: `refusals with ${status} to be counted, of which there were ${before.count}` },
      );
    };
    const known = await refusedTwiceMore(
      machine.apiKey,
      403,
      ({ key_id, details }) =>
        key_id !== null && details.status === 403 && details.credential === hintOf(machine.apiKey),
    );
    expect(known.details).toMatchObject({ reason: expect.any(String) });
    const unknown = await refusedTwiceMore(
      'slp_wrong',
      401,
      ({ key_id, details }) => key_id === null && details.status === 401,
    );
    expect(unknown.details).toMatchObject({ source_address: expect.any(String) });
  });

  it('knows when a key was used last', async () => {
    const { slipway } = at();
    const isUsed = async () => {
      const keys = await list<{ last_used_at: string | null }>(slipway, '/v2/api-keys');
      return keys.some(({ last_used_at }) => last_used_at !== null);
    };
    await until(isUsed, { what: 'the last use of a key' });
  });
}
