import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
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
  WAIT,
} from './listener-program.ts';

const folderOf = (program: ListenerProgram, id: string) => join(program.dataFolder, 'deployments', id);
const remembered = async (program: ListenerProgram): Promise<string[]> =>
  Object.keys(JSON.parse(await readFile(join(program.dataFolder, 'state.json'), 'utf8')).deployments);

/** Waits until the listener has said that nothing of a deployment runs here. */
const reportsNothing = (controlPlane: FakeControlPlane, id: string, epoch: number) =>
  until(
    () =>
      controlPlane.reports.some(
        (report) => report.deployment_id === id && report.epoch === epoch && report.revision_id === null,
      ),
    { ...WAIT, what: `the report that nothing of ${id} runs` },
  );

describe('a listener that is to remove a deployment', () => {
  it('ends its server, its address and its folder, and forgets it', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const { deployment_id: id } = await deploy(controlPlane, await helloTarball('v1'));
    const other = await deploy(controlPlane, await helloTarball('v1'), { deployment_name: 'other' });
    expect(existsSync(folderOf(program, id))).toBe(true);
    const completed = await completionOf(controlPlane, controlPlane.offerDelete(id, 3));
    expect(completed.outcome).toBe('succeeded');
    expect((await fetch(program.url('hello'))).status).toBe(404);
    expect(await readdir(join(program.dataFolder, 'deployments'))).toEqual([other.deployment_id]);
    expect(await program.serverPids()).toHaveLength(1);
    expect((await fetch(program.url('other'))).status).toBe(200);
    await until(async () => !(await remembered(program)).includes(id), {
      ...WAIT,
      what: 'it to be forgotten',
    });
    expect(controlPlane.problems).toEqual([]);
  });

  it('says that it has done so of what it never had', async () => {
    const controlPlane = await new FakeControlPlane().start();
    await startProgram(controlPlane);
    const completed = await completionOf(controlPlane, controlPlane.offerDelete(randomUUID(), 1));
    expect(completed.outcome).toBe('succeeded');
  });

  it('removes nothing under an older epoch than it has applied, and says so', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const { deployment_id: id } = await deploy(controlPlane, await helloTarball('v1'), { epoch: 5 });
    const completed = await completionOf(controlPlane, controlPlane.offerDelete(id, 4));
    expect(completed.outcome).toBe('failed');
    expect(completed.status_message).toMatch(/^Epoch 4 is older than \d+, which this listener has already/);
    expect((await fetch(program.url('hello'))).status).toBe(200);
  });

  it('goes on with it after it was killed', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const { deployment_id: id } = await deploy(controlPlane, await helloTarball('v1'));
    await program.end('SIGKILL');
    controlPlane.desired.set(id, { deployment_id: id, epoch: 3, revision_id: null, held: true });
    const taskId = controlPlane.offerDelete(id, 3);
    program.start();
    expect((await completionOf(controlPlane, taskId)).outcome).toBe('succeeded');
    expect(await program.serverPids()).toEqual([]);
    expect(existsSync(folderOf(program, id))).toBe(false);
  });
});

describe('a row of what should run that wants nothing', () => {
  it('is applied and reported, also where nothing runs, so that the control plane can let go of it', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const { deployment_id: id } = await deploy(controlPlane, await helloTarball('v1'));
    const unknown = randomUUID();
    for (const deployment_id of [id, unknown])
      controlPlane.desired.set(deployment_id, { deployment_id, epoch: 9, revision_id: null, held: false });
    // The end of a task makes the listener look at what should run.
    await deploy(controlPlane, await helloTarball('v1'), { deployment_name: 'other' });
    await reportsNothing(controlPlane, id, 9);
    await reportsNothing(controlPlane, unknown, 9);
    expect((await fetch(program.url('hello'))).status).toBe(404);
    expect(existsSync(folderOf(program, id))).toBe(false);
    expect((await fetch(program.url('other'))).status).toBe(200);
    for (const one of [id, unknown]) controlPlane.desired.delete(one);
    await deploy(controlPlane, await helloTarball('v1'), { deployment_name: 'third' });
    await until(async () => (await remembered(program)).length === 2, {
      ...WAIT,
      what: 'both to be forgotten',
    });
  });
});
