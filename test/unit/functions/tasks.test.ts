import { readdir } from 'node:fs/promises';
import {
  AccountLimitExceededException,
  CodeBuildClient,
  StartBuildCommand,
  StopBuildCommand,
} from '@aws-sdk/client-codebuild';
import { BatchGetImageCommand, PutImageCommand } from '@aws-sdk/client-ecr';
import { HeadObjectCommand, NotFound, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as build } from '../../../functions/tasks/revision/build.ts';
import { handler as deploy } from '../../../functions/tasks/revision/deploy.ts';
import { handler as finish } from '../../../functions/tasks/revision/finish.ts';
import { handler as prepare } from '../../../functions/tasks/revision/prepare.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { configurationKey, listenerKey, revisionKey } from '../../../lib/store/keys/index.ts';
import { mockRegistry } from '../../support/aws/mocked-registry.ts';
import { mockTable } from '../../support/table/mocked-table.ts';
import {
  aListener,
  ids,
  ref,
  seedAll,
  seedInSlot,
  seedRevision,
  seedToken,
} from '../../support/table/stored-items.ts';
import { functionEnvironment } from './environment.ts';

const table = mockTable();
const codeBuild = mockClient(CodeBuildClient);
const s3 = mockClient(S3Client);
const registry = mockRegistry();
const thrown = { message: 'm', $metadata: {} };
const input = { ...ref, attempt: 1 };
const token = { ...input, token: 'the-token' };

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
  for (const mock of [codeBuild, s3, registry]) mock.reset();
  s3.on(PutObjectCommand).resolves({});
  seedAll(table);
});
/** What each state did to the table in all of its tests. */
const done = new Map<string, Set<string>>();
afterEach(({ task }) => {
  const state = task.suite?.name ?? '';
  done.set(state, (done.get(state) ?? new Set()).union(table.used()));
  vi.unstubAllGlobals();
});
afterAll(() => vi.unstubAllEnvs());

it('every entry that is no API handler is a row of the functions, and has its tests in this folder', async () => {
  const files = await readdir('functions', { recursive: true });
  expect(files.filter((name) => name.endsWith('.ts') && !name.startsWith('api/')).sort()).toEqual([
    'events/build-changed.ts',
    'events/execution-ended.ts',
    'logs/ingest.ts',
    'logs/take-notes.ts',
    'schedules/revocations.ts',
    'schedules/sweep.ts',
    'streams/dispatch.ts',
    'streams/events.ts',
    'tasks/revision/build.ts',
    'tasks/revision/deploy.ts',
    'tasks/revision/finish.ts',
    'tasks/revision/prepare.ts',
  ]);
  const rows = Object.values(functionRows).map(({ handler }) => handler.replace('functions/', ''));
  expect(rows.sort()).toEqual(
    files.filter((name) => name.endsWith('.ts') && !name.startsWith('api/')).sort(),
  );
});

describe('Prepare', () => {
  it('sends a revision of known commit to its build, and an image to its deploy', async () => {
    expect(await prepare(input)).toEqual({ path: 'build' });
    expect(values()).toContain('AWAITING_BUILD');
    seedRevision(table, { source: 'external_docker', revision_config: { image_uri: 'example.com/a:1' } });
    expect(await prepare(input)).toEqual({ path: 'deploy' });
    expect(values()).toContain('AWAITING_DEPLOY');
  });

  it('builds again when the artifact has been cleaned away', async () => {
    const artifact = { kind: 'folder', key: 'artifacts/a.tar', sha256: 'a', sizeBytes: 1 } as const;
    seedRevision(table, { artifact });
    s3.on(HeadObjectCommand).resolvesOnce({ ContentLength: 1 }).rejects(new NotFound(thrown));
    expect(await prepare(input)).toEqual({ path: 'deploy' });
    expect(await prepare(input)).toEqual({ path: 'build' });
  });

  it('records why a repository cannot be read, and ends', async () => {
    // Nothing is asked: what leads to this machine is refused.
    table.seed(configurationKey(ids.tenant, ids.deployment, 1), {
      v: 1,
      entity: 'configuration',
      tenant_id: ids.tenant,
      version: 1,
      repo_url: 'https://localhost/team/app.git',
      secret_references: [],
      secret_names: [],
    });
    seedRevision(table, { revision_config: { repo_ref: 'main' } });
    expect(await prepare(input)).toEqual({ path: 'end' });
    const message =
      'Repository https://localhost/team/app.git cannot be read: localhost has no public address, and this installation does not allow it';
    expect(values()).toContainEqual({ stage: 'build', result: 'failed', message });
  });

  it('records that the listener is gone, and touches no source', async () => {
    table.forget(listenerKey(ids.tenant, ids.listener));
    expect(await prepare(input)).toEqual({ path: 'end' });
    expect(values()).toContainEqual(expect.objectContaining({ stage: 'create', result: 'failed' }));
  });

  it.each([
    ['there is no such revision', () => table.forget(revisionKey(ids.tenant, ids.deployment, 1))],
    ['it has ended', () => seedRevision(table, { status: 'INTERRUPTED' })],
    ['it was interrupted meanwhile', () => table.refuseOnce(() => true)],
  ])('is refused when %s', async (_, given) => {
    given();
    await expect(prepare(input)).rejects.toMatchObject({ name: 'StepRefused' });
  });
});

describe('Build', () => {
  beforeEach(() => {
    seedInSlot(table, { status: 'AWAITING_BUILD' });
    codeBuild.on(StartBuildCommand).resolves({ build: { id: 'project:1' } });
  });

  it('keeps the token, starts the build and keeps its id', async () => {
    await build(token);
    expect(values()).toEqual(expect.arrayContaining(['the-token', 'project:1']));
    const sent = codeBuild.commandCalls(StartBuildCommand)[0]?.args[0].input;
    expect(sent?.idempotencyToken).toBe(ids.revision);
    expect(JSON.stringify(sent)).not.toContain('the-token');
  });

  it('builds the image of a cluster for the platforms that its listener has', async () => {
    const compute_config = { platforms: ['linux/amd64', 'linux/arm64'] };
    for (const [config, platforms] of [
      [compute_config, compute_config.platforms],
      [{}, ['linux/amd64']],
    ] as const) {
      s3.resetHistory();
      const cluster = aListener({ compute_type: 'k8s', compute_config: config });
      table.seed(listenerKey(ids.tenant, ids.listener), cluster);
      await build(token);
      const [stored] = s3.commandCalls(PutObjectCommand);
      expect(JSON.parse(String(stored?.args[0].input.Body))).toMatchObject({ output: 'image', platforms });
    }
  });

  it('starts nothing again once there is a build', async () => {
    seedInSlot(table, { status: 'BUILDING', build_id: 'project:1' });
    await build(token);
    expect(codeBuild.commandCalls(StartBuildCommand)).toHaveLength(0);
  });

  it('keeps the name of the error that is retried: no more builds can run now', async () => {
    codeBuild.on(StartBuildCommand).rejects(new AccountLimitExceededException(thrown));
    await expect(build(token)).rejects.toMatchObject({ name: 'BuildsAtCapacity' });
  });

  it('stops the build that an interrupt did not know of', async () => {
    codeBuild.on(StopBuildCommand).resolves({});
    codeBuild.on(StartBuildCommand).callsFake(async () => {
      seedInSlot(table, { status: 'AWAITING_BUILD', interrupt_requested_at: '2026-01-01T00:00:00.000Z' });
      table.refuseOnce(() => true);
      return { build: { id: 'project:1' } };
    });
    await expect(build(token)).rejects.toMatchObject({ name: 'StepRefused' });
    expect(codeBuild.commandCalls(StopBuildCommand)[0]?.args[0].input).toEqual({ id: 'project:1' });
  });

  it('starts nothing for a revision that has ended', async () => {
    seedInSlot(table, { status: 'BUILD_FAILED' });
    await expect(build(token)).rejects.toMatchObject({ name: 'StepRefused' });
    expect(codeBuild.calls()).toHaveLength(0);
  });
});

describe('Deploy', () => {
  it('writes AWAITING_DEPLOY, keeps the token and offers the task', async () => {
    seedInSlot(table, { status: 'BUILDING' });
    await deploy(token);
    expect(values()).toEqual(expect.arrayContaining(['AWAITING_DEPLOY', 'the-token']));
    table.reset();
    seedAll(table);
    seedInSlot(table, { status: 'AWAITING_DEPLOY' });
    await deploy(token);
    expect(values()).toEqual(expect.arrayContaining(['task', 'offered']));
  });

  it('offers nothing while an earlier task is open', async () => {
    seedInSlot(table, { status: 'AWAITING_DEPLOY' }, { task_id: ids.unknown });
    await deploy(token);
    expect(values()).not.toContain('offered');
  });

  it.each([
    ['it has ended', () => seedInSlot(table, { status: 'INTERRUPTED' })],
    ['it is to be interrupted', () => table.refuseOnce(() => true)],
  ])('is refused when %s', async (_, given) => {
    seedInSlot(table, { status: 'BUILDING' });
    given();
    await expect(deploy(token)).rejects.toMatchObject({ name: 'StepRefused' });
  });
});

describe('Finish', () => {
  it('writes DEPLOYED and frees the slot', async () => {
    const outcome = { stage: 'deploy', result: 'succeeded', url: 'http://127.0.0.1/a' } as const;
    seedInSlot(table, { status: 'DEPLOYING', outcome });
    seedToken(table, 'deploy');
    await finish(input);
    expect(values()).toEqual(expect.arrayContaining(['DEPLOYED', 'READY']));
    const frees = table
      .written()
      .some((write) => /REMOVE[^A-Z]*#slot/.test(write.Update?.UpdateExpression ?? ''));
    expect(frees).toBe(true);
  });

  describe('of an image', () => {
    const uri = `registry.example/slipway/${ids.tenant}/${ids.deployment}@sha256:${'a'.repeat(64)}`;
    const deployed = (): void => seedInSlot(table, { status: 'DEPLOYED', artifact: { kind: 'image', uri } });

    it('makes the registry keep it', async () => {
      registry.ecr.on(BatchGetImageCommand).resolves({ images: [{ imageManifest: '{}' }] });
      registry.ecr.on(PutImageCommand).resolves({});
      deployed();
      await finish(input);
      const [held] = registry.ecr.commandCalls(PutImageCommand);
      expect(held?.args[0].input).toMatchObject({ imageTag: 'active', imageManifest: '{}' });
    });

    it('ends well when the registry does not answer', async () => {
      registry.ecr.on(BatchGetImageCommand).rejects(new Error('down'));
      deployed();
      await expect(finish(input)).resolves.toBeUndefined();
    });

    it('keeps none that was not deployed', async () => {
      seedInSlot(table, { status: 'DEPLOY_FAILED', artifact: { kind: 'image', uri } });
      await finish(input);
      expect(registry.ecr.calls()).toHaveLength(0);
    });
  });

  it('says why a build failed, in the status and as the last line of the log', async () => {
    const outcome = { stage: 'build', result: 'failed', message: 'make: no rule' } as const;
    seedInSlot(table, { status: 'BUILDING', outcome });
    await finish({ ...input, error: { Error: 'StageFailed', Cause: 'x' } });
    expect(values()).toEqual(expect.arrayContaining(['BUILD_FAILED', 'make: no rule', 'log_chunk']));
  });

  it('does nothing to a revision that has ended', async () => {
    seedInSlot(table, { status: 'DEPLOYED' });
    await finish(input);
    expect(table.written()).toEqual([]);
  });

  it('throws what the table says', async () => {
    table.breakWith(new Error('down'));
    await expect(finish(input)).rejects.toThrow('down');
  });
});

it.each([
  ['Prepare', functionRows.prepare],
  ['Build', functionRows.build],
  ['Deploy', functionRows.deploy],
  ['Finish', functionRows.finish],
])('%s has the access to the table that it uses, and no other', (state, { access }) => {
  const declared = access.filter((word) => word.startsWith('table:'));
  expect([...(done.get(state) ?? [])].sort()).toEqual(declared.toSorted());
});
