import { expect, it } from 'vitest';
import {
  api,
  expectApi,
  type Installation,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { imageOn } from './cluster-tests.ts';
import type { Tour } from './tour.ts';

const isGone = async (slipway: Installation, path: string): Promise<boolean> =>
  (await api(slipway, 'GET', path)).status === 404;

/** What is asked for again, and what is taken away. */
export function deletionTests(at: () => Tour): void {
  it('makes one deployment of a request that is sent again under its Idempotency-Key', async () => {
    const { slipway, clusterId } = at();
    const create = async () => {
      const response = await fetch(`${slipway.baseUrl}/v2/deployments`, {
        method: 'POST',
        headers: {
          'x-api-key': slipway.apiKey,
          'content-type': 'application/json',
          'idempotency-key': 'sent again',
        },
        body: JSON.stringify(imageOn(clusterId, 'asked-twice')),
      });
      return [response.status, response.headers.get('idempotent-replayed'), await response.text()];
    };
    const [status, , text] = await create();
    expect(status).toBe(201);
    expect(await create()).toEqual([201, 'true', text]);
  });

  it('deletes a deployment once its listener has removed what runs', async () => {
    const { slipway, cluster } = at();
    const { resources } = await expectApi<{ resources: ShownDeployment[] }>(
      slipway,
      'GET',
      '/v2/deployments?name=on-cluster',
      undefined,
      200,
    );
    const id = resources[0]?.id ?? '';
    const path = `/v2/deployments/${id}`;
    await expectApi(slipway, 'DELETE', path, undefined, 204);
    expect(await api(slipway, 'GET', path)).toMatchObject({
      status: 200,
      body: { status: 'AWAITING_DELETE' },
    });
    const what = `the task to remove ${id}`;
    const task = await until(() => cluster.deletionOf(id), { what });
    expect(await cluster.complete(task, 'succeeded')).toEqual({ accepted: true });
    await until(() => isGone(slipway, path), { what: `${path} to be gone` });
  });

  it('deletes several at once, and says of each what became of it', async () => {
    const { slipway, cluster, clusterId } = at();
    const { resources } = await expectApi<{ resources: ShownDeployment[] }>(
      slipway,
      'GET',
      '/v2/deployments?name=asked-twice',
      undefined,
      200,
    );
    const id = resources[0]?.id ?? '';
    for (const value of ['one', 'two']) await patch(slipway, id, { secrets: [{ name: 'TOKEN', value }] });
    const answer = await api(slipway, 'DELETE', `/v2/deployments?deployment_ids=${id},${clusterId}`);
    expect(answer).toMatchObject({
      status: 207,
      body: { results: [{ status: 204 }, { status: 404 }] },
    });
    // Its first deploy may have been offered by then: in that case the listener is asked to remove what there
    // may be.
    const goes = async () => {
      const task = await cluster.deletionOf(id);
      if (task !== undefined) await cluster.complete(task, 'succeeded');
      return isGone(slipway, `/v2/deployments/${id}`);
    };
    await until(goes, { what: 'it to be gone' });
  });

  it('gives a deployment up whose listener does not answer, until the listener says that nothing of it runs', async () => {
    const { slipway, cluster } = at();
    const { resources } = await expectApi<{ resources: ShownDeployment[] }>(
      slipway,
      'GET',
      '/v2/deployments?name=fails',
      undefined,
      200,
    );
    const id = resources[0]?.id ?? '';
    const path = `/v2/deployments/${id}`;
    await expectApi(slipway, 'DELETE', path, undefined, 204);
    await expectApi(slipway, 'DELETE', `${path}?force=true`, undefined, 204);
    await until(() => isGone(slipway, path), { what: `${path} to be gone` });
    const left = await cluster.desired(id);
    expect(left).toMatchObject({ revision_id: null });
    await cluster.reportNothing(id, left?.epoch ?? 0);
    expect(await cluster.desired(id)).toBeUndefined();
    // From five reports on the control plane remembers those that say nothing new, so that the same again
    // costs less.
    await cluster.reportNothing(id, left?.epoch ?? 0, 5);
  });
}
