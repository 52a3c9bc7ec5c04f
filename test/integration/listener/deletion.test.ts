import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { FakeControlPlane } from './fake-control-plane.ts';
import {
  completionOf,
  deploy,
  helloTarball,
  type ListenerProgram,
  startProgram,
} from './listener-program.ts';
import { sharedListener } from './shared-listener.ts';

const remembered = async (program: ListenerProgram): Promise<string[]> =>
  Object.keys(JSON.parse(await readFile(join(program.dataFolder, 'state.json'), 'utf8')).deployments);

const forgets = (program: ListenerProgram, id: string) =>
  until(async () => !(await remembered(program)).includes(id), { what: `${id} to be forgotten` });

/** Waits until the listener has said that nothing of a deployment runs here. */
const reportsNothing = (controlPlane: FakeControlPlane, id: string, epoch: number) =>
  until(
    () => controlPlane.reportsOf(id).some((report) => report.epoch === epoch && report.revision_id === null),
    { what: `the report that nothing of ${id} runs` },
  );

describe('a listener that is to remove a deployment', () => {
  const shared = sharedListener();

  it('ends its server, its address and its folder, and forgets it', async () => {
    const { controlPlane, program } = shared();
    const removed = await deploy(controlPlane, await helloTarball('v1'));
    const other = await deploy(controlPlane, await helloTarball('v1'));
    const id = removed.deployment_id;
    expect(existsSync(program.folderOf(id))).toBe(true);
    const completed = await completionOf(controlPlane, controlPlane.offerDelete(id, 3));
    expect(completed.outcome).toBe('succeeded');
    expect((await fetch(program.url(removed.deployment_name))).status).toBe(404);
    expect(existsSync(program.folderOf(id))).toBe(false);
    expect(existsSync(program.folderOf(other.deployment_id))).toBe(true);
    expect(program.serverPids(id)).toEqual([]);
    expect(program.serverPids(other.deployment_id)).toHaveLength(1);
    expect((await fetch(program.url(other.deployment_name))).status).toBe(200);
    await forgets(program, id);
  });

  it('says that it has done so of what it never had', async () => {
    const { controlPlane } = shared();
    const completed = await completionOf(controlPlane, controlPlane.offerDelete(randomUUID(), 1));
    expect(completed.outcome).toBe('succeeded');
  });

  it('removes nothing under an older epoch than it has applied, and says so', async () => {
    const { controlPlane, program } = shared();
    const kept = await deploy(controlPlane, await helloTarball('v1'), { epoch: 5 });
    const completed = await completionOf(controlPlane, controlPlane.offerDelete(kept.deployment_id, 4));
    expect(completed.outcome).toBe('failed');
    expect(completed.status_message).toMatch(/^Epoch 4 is older than \d+, which this listener has already/);
    expect((await fetch(program.url(kept.deployment_name))).status).toBe(200);
  });

  it('applies and reports a row that wants nothing, also where nothing runs, so that the control plane can let go of it', async () => {
    const { controlPlane, program } = shared();
    const { deployment_id: id, deployment_name: name } = await deploy(controlPlane, await helloTarball('v1'));
    const unknown = randomUUID();
    for (const deployment_id of [id, unknown])
      controlPlane.desired.set(deployment_id, { deployment_id, epoch: 9, revision_id: null, held: false });
    const other = await deploy(controlPlane, await helloTarball('v1'));
    // The end of a deletion makes the listener look at everything that should run.
    await completionOf(controlPlane, controlPlane.offerDelete(randomUUID(), 1));
    await reportsNothing(controlPlane, id, 9);
    await reportsNothing(controlPlane, unknown, 9);
    expect((await fetch(program.url(name))).status).toBe(404);
    expect(existsSync(program.folderOf(id))).toBe(false);
    expect((await fetch(program.url(other.deployment_name))).status).toBe(200);
    for (const one of [id, unknown]) controlPlane.desired.delete(one);
    await completionOf(controlPlane, controlPlane.offerDelete(randomUUID(), 1));
    for (const one of [id, unknown]) await forgets(program, one);
    expect(await remembered(program)).toContain(other.deployment_id);
  });
});

describe('a listener that was killed while it was to remove a deployment', () => {
  it('goes on with it', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const { deployment_id: id } = await deploy(controlPlane, await helloTarball('v1'));
    await program.end('SIGKILL');
    controlPlane.desired.set(id, { deployment_id: id, epoch: 3, revision_id: null, held: true });
    const taskId = controlPlane.offerDelete(id, 3);
    program.start();
    expect((await completionOf(controlPlane, taskId)).outcome).toBe('succeeded');
    expect(program.serverPids()).toEqual([]);
    expect(existsSync(program.folderOf(id))).toBe(false);
  });
});
