import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';
import { readProcesses } from '../../support/programs/processes.ts';
import { until } from '../../support/until.ts';
import { DurableMachine, type DurableSpec } from './machine.ts';
import { AgentClient, buildsFile, builtAgent, keptBuilds } from './waiting-agent.ts';

const MISSING = '1 thread waits at `one_approve`, which this revision has not.';

describe('a durable agent on a machine', () => {
  const ends: (() => void | Promise<void>)[] = [];
  let machine: DurableMachine;
  let client: AgentClient;
  const built = new Map<string, Buffer>();
  /** Each is built once. */
  const artifact = async (name: string, word = name): Promise<Buffer> => {
    const known = built.get(word) ?? (await builtAgent(name, word));
    built.set(word, known);
    return known;
  };
  const one = () => artifact('one');
  /** Its nodes have other names. */
  const two = () => artifact('two');
  /** Another code in the nodes of the first. */
  const three = () => artifact('one', 'three');

  beforeAll(async () => {
    machine = await DurableMachine.start((end) => void ends.unshift(end));
    client = new AgentClient(machine);
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  const folderOf = ({ deployment_id, revision_id }: DurableSpec) =>
    join(machine.dataFolder, 'deployments', deployment_id, 'revisions', revision_id);
  const serversOf = (spec: DurableSpec) =>
    readProcesses().filter(({ cwd }) => cwd.startsWith(folderOf(spec)));
  const stateOf = async (spec: DurableSpec, thread: string) => client.call(spec, 'GET', `/threads/${thread}`);
  const reportOf = ({ deployment_id: id }: DurableSpec) =>
    machine.driver.reports().find(({ deployment_id }) => deployment_id === id);
  /** The next revision of a deployment, of another artifact. */
  const next = (before: DurableSpec, tarball: Buffer, rest: Partial<DeploySpec> = {}) => {
    const { deployment_id, deployment_name, epoch } = before;
    return machine.spec(tarball, {
      deployment_id,
      deployment_name,
      epoch: epoch + 1,
      ...rest,
    });
  };
  const first = async (): Promise<{ spec: DurableSpec; thread: string }> => {
    const spec = machine.spec(await one());
    await machine.deploy(spec);
    return { spec, thread: await client.waitingThread(spec) };
  };

  test('answers a thread that waited across builds by its own code, with the newest secrets', async () => {
    const word = (value: string) => ({ environment: [{ name: 'WORD', value }] });
    const old = machine.spec(await one(), word('old'));
    await machine.deploy(old);
    const thread = await client.waitingThread(old);
    const newer = next(old, await two(), word('new'));
    await machine.deploy(newer);
    await client.waitingThread(newer);
    // It has no runs, so it is stopped; its folder stays, for a thread waits in it.
    await until(() => serversOf(old).length === 0, { what: 'the server of the first build to end' });
    expect(keptBuilds(machine, newer)).toHaveLength(2);
    const waits = { runs: 0, waiting: 1, oldest_at: expect.any(String) };
    await until(() => reportOf(newer)?.threads?.length === 2, { what: 'the report to name both revisions' });
    expect(reportOf(newer)?.threads).toEqual(
      expect.arrayContaining([
        { revision_id: old.revision_id, ...waits },
        { revision_id: newer.revision_id, ...waits },
      ]),
    );

    expect(await client.wait(newer, thread, { command: { resume: 'yes' } })).toMatchObject({
      steps: ['one before', 'one yes new', 'one after'],
    });
    expect(machine.said).toContainEqual(expect.stringContaining('is wanted: it is started again'));
    await machine.driver.remove(old.deployment_id, 4);
  });

  test('refuses a release that would lose a thread, and goes on', async () => {
    const { spec, thread } = await first();
    const refused = next(spec, await two(), { on_release: { waiting: 'refuse' } });
    expect(await machine.tryToDeploy(refused)).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining(MISSING),
      previousServing: true,
    });
    expect(await client.wait(spec, thread, { command: { resume: 'yes' } })).toMatchObject({
      steps: ['one before', 'one yes ', 'one after'],
    });
    await machine.driver.remove(spec.deployment_id, 4);
  });

  test('warns of threads that a release loses, which then end as an error', async () => {
    const { spec, thread } = await first();
    const newer = next(spec, await two(), { on_release: { waiting: 'warn' } });
    expect(await machine.tryToDeploy(newer)).toMatchObject({ outcome: 'succeeded', remark: MISSING });
    await until(() => !existsSync(folderOf(spec)), { what: 'the first build to go' });
    expect(reportOf(newer)?.threads).toEqual([]);
    const { text } = await client.answer(newer, 'POST', `/threads/${thread}/runs/wait`, {
      assistant_id: 'agent',
      command: { resume: 'yes' },
    });
    expect(text).toContain(`node 'one_approve', which revision ${newer.revision_id} has not`);
    expect(await stateOf(newer, thread)).toMatchObject({ status: 'error' });
    await machine.driver.remove(spec.deployment_id, 4);
  });

  test('moves threads to the next build where the deployment says so', async () => {
    const { spec, thread } = await first();
    const newer = next(spec, await three(), { on_release: { waiting: 'move' } });
    expect(await machine.tryToDeploy(newer)).not.toHaveProperty('remark');
    await until(() => !existsSync(folderOf(spec)), { what: 'the first build to go' });
    expect(await client.wait(newer, thread, { command: { resume: 'yes' } })).toMatchObject({
      steps: ['one before', 'three yes ', 'three after'],
    });
    await machine.driver.remove(spec.deployment_id, 4);
  });

  test('lets threads of a revision go by hand, however often that is said', async () => {
    const { spec, thread } = await first();
    const newer = next(spec, await three());
    await machine.deploy(newer);
    await until(() => reportOf(newer)?.threads?.[0]?.revision_id === spec.revision_id, {
      what: 'the first revision to be reported',
    });
    machine.driver.releaseThreads(spec.deployment_id, [spec.revision_id, newer.revision_id]);
    machine.driver.releaseThreads(spec.deployment_id, [spec.revision_id, newer.revision_id]);
    await until(() => reportOf(newer)?.threads?.length === 0, { what: 'the thread to be let go' });
    expect(await client.wait(newer, thread, { command: { resume: 'yes' } })).toMatchObject({
      steps: ['one before', 'three yes ', 'three after'],
    });
    await machine.driver.remove(spec.deployment_id, 4);
  });

  test('keeps a build no longer than its days, and says of whose threads that was the end', async () => {
    const { spec, thread } = await first();
    const newer = next(spec, await two(), { on_release: { days: 1 } });
    await machine.deploy(newer);
    await until(() => keptBuilds(machine, newer).some(({ replaced_at: at }) => at !== undefined), {
      what: 'the first build to be noted as replaced',
    });
    await machine.stop();
    const twoDaysAgo = Date.now() - 2 * 86_400_000;
    const builds = keptBuilds(machine, newer).map((build) => ({
      ...build,
      ...(build.replaced_at !== undefined && { replaced_at: twoDaysAgo }),
    }));
    writeFileSync(buildsFile(machine, newer), JSON.stringify(builds));
    await machine.open();
    machine.driver.keepRunning(newer);
    await until(() => reportOf(newer)?.expired !== undefined, { what: 'the threads to be ended' });
    expect(reportOf(newer)?.expired).toEqual([
      { revision_id: spec.revision_id, threads: 1, at: expect.any(String) },
    ]);
    expect(await stateOf(newer, thread)).toMatchObject({ status: 'error' });
    await until(() => !existsSync(folderOf(spec)), { what: 'its artifact to go' });
    expect(keptBuilds(machine, newer)).toHaveLength(1);
    await machine.driver.remove(spec.deployment_id, 4);
  });
});
