import { expect, it } from 'vitest';
import { api, expectApi, type Installation, type ShownDeployment } from '../support/programs/program.ts';
import { timed } from '../support/run/progress.ts';
import { reenter } from './installation.ts';
import type { Tour } from './tour.ts';

type Listed<T> = { resources: T[] };
type Spec = { environment: { name: string; value: string }[] };

/** The application's stack, destroyed and deployed again beside what is kept. */
export function againTests(tour: Partial<Tour>, at: () => Tour): void {
  it('keeps deployments, secrets and keys when all else is destroyed and deployed again', async () => {
    const { ground, slipway, listener, executions } = at();
    const before = await keptOf(at());
    expect(before.environment).toContainEqual({ name: 'GREETING', value: expect.stringMatching(/\S/) });
    expect(before.deployments.length).toBeGreaterThan(3);
    await listener.stop();
    await timed('cdk destroy, of the application', () => ground.cdk.destroyApplication());
    await expect(executions.stateMachineArn()).rejects.toThrow('There is no state machine');
    expect(await api(slipway, 'GET', '/ok')).toMatchObject({ status: 404 });
    const printed = await timed('cdk deploy, after the destruction', () => ground.cdk.deploy());
    tour.slipway = await reenter(slipway, printed);
    expect(tour.slipway.tableName).toBe(slipway.tableName);
    expect(await keptOf(at())).toEqual(before);
  });
}

/** What a user would miss. */
async function keptOf({ slipway, machine }: Tour) {
  const ids = async (path: string) => (await all<{ id: string }>(slipway, path)).map(({ id }) => id);
  const deployments = await all<ShownDeployment & { name: string }>(slipway, '/v2/deployments?limit=100');
  const hello = deployments.find(({ name }) => name === 'hello');
  const asMachine = { ...slipway, apiKey: machine.apiKey };
  const path = `/v2/listeners/${machine.id}/deployments/${hello?.id}/spec`;
  const { environment } = await expectApi<Spec>(asMachine, 'GET', path, undefined, 200);
  return {
    deployments: deployments.map(({ id, name, latest_revision_id }) => [id, name, latest_revision_id]),
    environment,
    keys: await ids('/v2/api-keys'),
    listeners: await ids('/v2/listeners'),
  };
}

const all = async <T>(slipway: Installation, path: string): Promise<T[]> =>
  (await expectApi<Listed<T>>(slipway, 'GET', path, undefined, 200)).resources;
