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
import { deploymentOf, expectApi, revisionUntil, type ShownDeployment } from '../support/programs/program.ts';
import { timed } from '../support/run/progress.ts';
import { clientConfig } from './aws-environment.ts';
import { imageOn } from './cluster-tests.ts';
import type { Emulator } from './emulator.ts';
import { variablesOf } from './installation.ts';
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
