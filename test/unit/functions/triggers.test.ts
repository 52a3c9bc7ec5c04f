import { BatchGetBuildsCommand, CodeBuildClient } from '@aws-sdk/client-codebuild';
import { DeleteRepositoryCommand, ECRClient, RepositoryNotFoundException } from '@aws-sdk/client-ecr';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as onBuildChanged } from '../../../functions/events/build-changed.ts';
import { handler as onExecutionEnded } from '../../../functions/events/execution-ended.ts';
import { handler as onSchedule } from '../../../functions/schedules/sweep.ts';
import { handler as onStream } from '../../../functions/streams/dispatch.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { deploymentKey, revisionKey } from '../../../lib/store/keys/index.ts';
import { codeBuildEventOf } from '../../../lib/triggers/build-event.ts';
import { mockTable } from '../../support/table/mocked-table.ts';
import {
  aDeployment,
  ids,
  ref,
  seedAll,
  seedDeployment,
  seedInSlot,
  seedTask,
  seedToken,
} from '../../support/table/stored-items.ts';
import { functionEnvironment } from './environment.ts';

const table = mockTable();
const sfn = mockClient(SFNClient);
const codeBuild = mockClient(CodeBuildClient);
const s3 = mockClient(S3Client);
const ecr = mockClient(ECRClient);
const thrown = { message: 'm', $metadata: {} };

/** The values of all writes so far: which statuses, outcomes and messages went out. */
const values = (): unknown[] =>
  table
    .written()
    .flatMap((write) => [
      ...Object.values(write.Update?.ExpressionAttributeValues ?? {}),
      ...Object.values(write.Put?.Item ?? {}),
    ]);

beforeAll(() => {
  for (const [name, value] of Object.entries(functionEnvironment)) vi.stubEnv(name, value);
});
beforeEach(() => {
  table.reset();
  for (const mock of [sfn, codeBuild, s3, ecr]) mock.reset();
  seedAll(table);
});
/** What each function did to the table in all of its tests. */
const done = new Map<string, Set<string>>();
afterEach(({ task }) => {
  const name = task.suite?.name ?? '';
  done.set(name, (done.get(name) ?? new Set()).union(table.used()));
  vi.unstubAllGlobals();
});
afterAll(() => vi.unstubAllEnvs());

const record = (sequenceNumber: string, keys = deploymentKey(ids.tenant, ids.deployment)) => ({
  dynamodb: {
    SequenceNumber: sequenceNumber,
    Keys: { pk: { S: keys.pk }, sk: { S: keys.sk } },
    NewImage: { entity: { S: 'deployment' } },
  },
});
const stream = (...Records: DynamoDBStreamEvent['Records']) => onStream({ Records });

describe('dispatch', () => {
  it('gives the free slot to the oldest queued revision', async () => {
    seedDeployment(table, { queued: [1] });
    table.afterWrite(() => seedInSlot(table, { status: 'AWAITING_BUILD' }));
    expect(await stream(record('1'))).toEqual({ batchItemFailures: [] });
    const slot = { kind: 'revision', revision_id: ids.revision, number: 1 };
    expect(values()).toContainEqual(expect.objectContaining(slot));
  });

  it('looks again when another was quicker', async () => {
    seedDeployment(table, { queued: [1] });
    table.refuseOnce(() => {
      seedInSlot(table, { status: 'AWAITING_BUILD' });
      return true;
    });
    expect(await stream(record('1'))).toEqual({ batchItemFailures: [] });
    expect(table.written()).toEqual([]);
  });

  it.each([
    ['started', () => sfn.on(StartExecutionCommand).resolves({})],
    ['started before', () => sfn.on(StartExecutionCommand).rejects(new ExecutionAlreadyExists(thrown))],
  ])('starts the execution of the revision in the slot, once, when it is %s', async (_, given) => {
    given();
    sfn.on(DescribeExecutionCommand).resolves({ status: 'RUNNING' });
    seedInSlot(table, { status: 'QUEUED' });
    expect(await stream(record('1'))).toEqual({ batchItemFailures: [] });
    const started = sfn.commandCalls(StartExecutionCommand).map(({ args }) => args[0].input.name);
    expect(started).toEqual([`${ids.revision}-1`]);
  });

  it.each([
    [{ result: 'succeeded' }, SendTaskSuccessCommand],
    [{ result: 'failed', message: 'It broke.' }, SendTaskFailureCommand],
  ] as const)('answers the token of a stage that has ended: $result', async (ended, Command) => {
    seedInSlot(table, { status: 'BUILDING', outcome: { stage: 'build', ...ended } });
    seedToken(table, 'build');
    sfn.on(SendTaskSuccessCommand).resolves({}).on(SendTaskFailureCommand).resolves({});
    table.afterWrite(() => seedInSlot(table, { status: 'DEPLOYED' }, { slot: undefined }));
    expect(await stream(record('1'))).toEqual({ batchItemFailures: [] });
    expect(sfn.calls().map(({ args }) => args[0].constructor)).toEqual([Command]);
  });

  it('asks how things are when nobody waits for a token, and starts the next attempt of an execution that is gone', async () => {
    sfn.on(SendTaskSuccessCommand).callsFake(async () => {
      // What forgetting the token leaves behind.
      table.reset();
      seedAll(table);
      seedInSlot(table, { status: 'BUILDING', outcome: { stage: 'build', result: 'succeeded' } });
      throw new TaskTimedOut(thrown);
    });
    sfn.on(DescribeExecutionCommand).callsFake(async () => {
      seedDeployment(table);
      return { status: 'FAILED' };
    });
    sfn.on(StartExecutionCommand).resolves({});
    seedInSlot(table, { status: 'BUILDING', outcome: { stage: 'build', result: 'succeeded' } });
    seedToken(table, 'build');
    expect(await stream(record('1'))).toEqual({ batchItemFailures: [] });
    expect(values()).toContainEqual({ stage: 'deploy', count: 1 });
    const started = sfn.commandCalls(StartExecutionCommand).map(({ args }) => args[0].input.name);
    expect(started).toEqual([`${ids.revision}-2`]);
  });

  it('removes everything of a deployment that is being deleted and that no listener knows', async () => {
    const slot = { kind: 'delete', revision_id: '', number: 0, since: '' } as const;
    seedDeployment(table, { status: 'AWAITING_DELETE', slot, epoch: 0 });
    table.afterWrite(() => {
      for (const write of table.written()) {
        const { pk, sk } = write.Delete?.Key ?? {};
        if (pk !== undefined) table.forget({ pk: String(pk), sk: String(sk) });
      }
    });
    s3.on(ListObjectsV2Command).resolves({});
    ecr.on(DeleteRepositoryCommand).rejects(new RepositoryNotFoundException(thrown));
    expect(await stream(record('1'))).toEqual({ batchItemFailures: [] });
    const folders = s3.commandCalls(ListObjectsV2Command).map(({ args }) => args[0].input.Prefix);
    expect(folders.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
      `artifacts/${ids.tenant}/${ids.deployment}/`,
      `uploads/${ids.tenant}/${ids.deployment}/`,
    ]);
    const [repository] = ecr.commandCalls(DeleteRepositoryCommand).map(({ args }) => args[0].input);
    expect(repository).toEqual({ repositoryName: `slipway/${ids.tenant}/${ids.deployment}`, force: true });
    const removed = table.written().map((write) => write.Delete?.Key?.pk);
    expect(removed).toContain(`T#${ids.tenant}#N#demo`);
    expect(removed).not.toContain(`T#${ids.tenant}#L#${ids.listener}`);
  });

  it('reports the records of a deployment that failed, and only those', async () => {
    sfn.on(StartExecutionCommand).rejects(new Error('down'));
    seedInSlot(table, { status: 'QUEUED' });
    const other = deploymentKey(ids.tenant, ids.unknown);
    expect(await stream(record('1'), record('2', other), record('3'))).toEqual({
      batchItemFailures: [{ itemIdentifier: '1' }, { itemIdentifier: '3' }],
    });
  });
});

describe('sweep', () => {
  const due = (changes = {}) =>
    table.seed(deploymentKey(ids.tenant, ids.deployment), {
      ...aDeployment(changes),
      due_pk: 'due#0',
      due_at: 1,
    });

  it('puts off the next look at what goes on as it should', async () => {
    seedInSlot(table, { status: 'DEPLOYING', task_id: ids.task });
    seedTask(table);
    const slot = { kind: 'revision', revision_id: ids.revision, number: 1, since: '' };
    due({ slot, task_id: ids.task });
    sfn.on(DescribeExecutionCommand).resolves({ status: 'RUNNING' });
    expect(await onSchedule({})).toEqual({ looked: 1, left: 0 });
    const written = table
      .written()
      .map(({ Put, Update, Delete }) => (Put?.Item ?? Update?.Key ?? Delete?.Key)?.pk);
    expect(written).toEqual(['SWEEP#due#0', `T#${ids.tenant}#D#${ids.deployment}`, 'SWEEP#due#0']);
  });

  it('ends with an error when a deployment failed, so that its alarm fires', async () => {
    seedInSlot(table, { status: 'BUILDING' });
    const slot = { kind: 'revision', revision_id: ids.revision, number: 1, since: '' };
    due({ slot });
    sfn.on(DescribeExecutionCommand).rejects(new Error('down'));
    await expect(onSchedule()).rejects.toThrow(/1 of 1/);
  });
});

describe('a build that changed', () => {
  const changed = () =>
    onBuildChanged(codeBuildEventOf({ buildId: 'arn:aws:codebuild:r:a:build/project:1', ref }));
  const builds = (build: object) => codeBuild.on(BatchGetBuildsCommand).resolves({ builds: [build] });

  it('runs: BUILDING', async () => {
    seedInSlot(table, { status: 'AWAITING_BUILD', build_id: 'project:1' });
    builds({ buildStatus: 'IN_PROGRESS', currentPhase: 'BUILD' });
    await changed();
    expect(values()).toContain('BUILDING');
    expect(codeBuild.commandCalls(BatchGetBuildsCommand)[0]?.args[0].input).toEqual({ ids: ['project:1'] });
  });

  it('failed: its reason is recorded', async () => {
    seedInSlot(table, { status: 'BUILDING', build_id: 'project:1' });
    builds({ buildStatus: 'TIMED_OUT' });
    await changed();
    const message = 'The build took longer than it may.';
    expect(values()).toContainEqual({ stage: 'build', result: 'failed', message });
  });

  it('of a revision that has ended changes nothing', async () => {
    seedInSlot(table, { status: 'INTERRUPTED' });
    builds({ buildStatus: 'SUCCEEDED' });
    await changed();
    expect(table.written()).toEqual([]);
  });

  it('is retried when CodeBuild does not answer, and refused when it is no such event', async () => {
    codeBuild.on(BatchGetBuildsCommand).rejects(new Error('down'));
    await expect(changed()).rejects.toThrow('down');
    await expect(onBuildChanged({ detail: {} })).rejects.toThrow();
  });
});

describe('an execution that was aborted', () => {
  const ended = (input: unknown) => onExecutionEnded({ detail: { input: JSON.stringify(input) } });

  it('makes its revision due now', async () => {
    const before = Date.now();
    await ended(ref);
    const [write] = table.written();
    expect(write?.Update?.Key).toEqual(revisionKey(ids.tenant, ids.deployment, 1));
    const dueAt = values().find((value) => typeof value === 'number') ?? 0;
    expect(dueAt).toBeGreaterThanOrEqual(before);
  });

  it('changes nothing of a revision that has ended, and is refused when it is no such event', async () => {
    table.refuseOnce(() => true);
    await ended(ref);
    expect(table.written()).toEqual([]);
    await expect(ended({ something: 'else' })).rejects.toThrow();
  });
});

it.each([
  ['dispatch', functionRows.dispatch],
  ['sweep', functionRows.sweep],
  ['a build that changed', functionRows.buildChanged],
  ['an execution that was aborted', functionRows.executionEnded],
])('%s has the access to the table that it uses', (name, { access }) => {
  const used = [...(done.get(name) ?? [])];
  expect(used.length).toBeGreaterThan(0);
  expect(access).toEqual(expect.arrayContaining(used));
});
