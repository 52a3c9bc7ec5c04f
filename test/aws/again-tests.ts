import {
  DescribeTableCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { adminOf } from '../support/aws/programs.ts';
import {
  api,
  deploymentOf,
  expectApi,
  type Installation,
  revisionUntil,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { timed } from '../support/run/progress.ts';
import { clientConfig } from './aws-environment.ts';
import { imageOn } from './cluster-tests.ts';
import type { Emulator } from './emulator.ts';
import { reenter, variablesOf } from './installation.ts';
import type { Tour } from './tour.ts';

const RESTORED = 'slipway-test-table-2';

/** What docs/operations.md says under "Restore the table to a point in time". */
export function restoreTests(at: () => Tour): void {
  it('works on a table that was restored', async () => {
    const { ground, slipway, aborted, clusterId } = at();
    const paused = await slipway.admin('pause');
    const stream = await restore(ground.emulator, slipway.tableName);
    await timed('cdk deploy, on the restored table', () =>
      ground.cdk.deploy({ tableName: RESTORED, tableStreamArn: stream }),
    );
    const resumed = await adminOf(ground.processes, variablesOf(ground.emulator), RESTORED)('resume');
    expect(Number(paused.functions)).toBeGreaterThan(50);
    expect(resumed.functions).toBe(paused.functions);
    expect(await deploymentOf(slipway, aborted.id)).toMatchObject({ id: aborted.id, status: 'UNUSED' });
    const body = imageOn(clusterId, 'after-the-restore');
    const made = await expectApi<ShownDeployment>(slipway, 'POST', '/v2/deployments', body, 201);
    // What the stream of the restored table tells, or else the sweep, brings it forward.
    await revisionUntil(slipway, made.id, made.latest_revision_id, (status) => status === 'AWAITING_DEPLOY');
  });
}

/** Restores the table beside itself, as complete as it was, and gives the new one's stream. */
async function restore(emulator: Emulator, tableName: string): Promise<string> {
  const client = new DynamoDBClient(clientConfig(emulator));
  const TableName = RESTORED;
  await client.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: tableName,
      TargetTableName: TableName,
      UseLatestRestorableTime: true,
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName });
  const recovery = { PointInTimeRecoveryEnabled: true };
  await client.send(
    new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification: recovery }),
  );
  const TimeToLiveSpecification = { Enabled: true, AttributeName: 'ttl' };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
  await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  client.destroy();
  if (Table?.LatestStreamArn === undefined) throw new Error('The restored table has no stream');
  return Table.LatestStreamArn;
}

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
