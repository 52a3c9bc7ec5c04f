import { expect, it } from 'vitest';
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
    // Asked again and again: a log line may be dropped on its way, and what was refused before the hour
    // changed is another event.
    const refusedOften = async (apiKey: string, reason: string) => {
      await expectApi(
        { ...slipway, apiKey },
        'GET',
        '/v2/deployments',
        undefined,
        reason === 'unauthenticated' ? 401 : 403,
      );
      const events = await list<AuditEvent>(slipway, '/v2/audit-events?action=request.refuse&limit=100');
      return events.find(({ details, count }) => details.reason === reason && count >= 2);
    };
    const soon = (what: string) => ({ what: `the refusals of ${what}` });
    const known = await until(() => refusedOften(machine.apiKey, 'permission_missing'), soon('a listener'));
    expect(known).toMatchObject({ key_id: expect.any(String), details: { status: 403 } });
    const unknown = await until(() => refusedOften('slp_wrong', 'unauthenticated'), soon('nobody'));
    expect(unknown).toMatchObject({ details: { status: 401, source_address: expect.any(String) } });
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
