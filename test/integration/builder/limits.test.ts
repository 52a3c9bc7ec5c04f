import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { platformOf } from '../../../lib/contract/images/platforms.ts';
import { readProcesses } from '../../../lib/processes/table/read.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import { until } from '../../support/until.ts';
import { jobFor, messageOf, setUp } from './set-up.ts';

/** Leaves a child that ignores SIGTERM in a session of its own, and hangs. */
const HANGING = `node -e "
  const { spawn } = require('node:child_process');
  const stubborn = 'process.on(\\'SIGTERM\\', () => {}); setInterval(() => {}, 1000); console.log(\\'pid \\' + process.pid)';
  spawn(process.execPath, ['-e', stubborn], { stdio: 'inherit', detached: true });
  console.log('pid ' + process.pid);
  setInterval(() => {}, 1000);
"`;

/** A zombie that nobody has collected yet is not alive. */
const isAlive = (pid: number) => readProcesses().some((row) => row.pid === pid);

const pidsOf = (log: string[]) => log.flatMap((line) => /^pid (\d+)$/.exec(line)?.[1] ?? []).map(Number);

describe('a hanging install', () => {
  it('fails at the time limit with the step, the limit and its last lines, and leaves no process', async () => {
    const { run } = await setUp({ limits: { buildSeconds: 20 } });
    const { url } = await gitRepository({ 'hang.sh': HANGING });
    const { state, log } = await run(jobFor(url, { installCommand: 'echo waiting for godot && sh hang.sh' }));
    expect(messageOf(state)).toMatch(
      /^The build was ended in step 'install' because it took longer than 20 s:\n/,
    );
    expect(messageOf(state)).toContain('waiting for godot');
    expect(log.at(-1)).toBe("The build was ended in step 'install' because it took longer than 20 s");
    expect(pidsOf(log).length).toBe(2);
    expect(pidsOf(log).filter(isAlive)).toEqual([]);
  });

  it('is stopped with everything it started, and stays stopped', async () => {
    const { builder, changes, logOf, dataFolder, processes } = await setUp();
    const { url } = await gitRepository({ 'hang.sh': HANGING });
    const job = jobFor(url, { installCommand: 'sh hang.sh' });
    const { buildId } = await builder.start(job);
    const started = async () => {
      const pids = pidsOf((await logOf(job)).map((entry) => entry.message));
      return pids.length === 2 && pids;
    };
    const pids = await until(started, { what: 'both processes' });
    await Promise.all([builder.stop(buildId), builder.stop(buildId)]);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(processes.groups.size).toBe(0);
    expect(await builder.state(buildId)).toEqual({ state: 'stopped' });
    expect(changes).toEqual([changes[0], changes[0]]);
    const left = () => readdir(join(dataFolder, 'work')).then((names) => names.length === 0);
    await until(left, { what: 'the work folder to go' });
    await builder.stop(buildId);
    await builder.stop('build-unknown');
  });
});

it('ends a build whose folder grows too large while it runs', async () => {
  const { run } = await setUp({ limits: { folderBytesMax: 4_000_000, folderCheckMilliseconds: 50 } });
  const { url } = await gitRepository({ Procfile: 'web: true' });
  const buildCommand = `head -c 6000000 /dev/urandom > big && sleep 60`;
  const { state } = await run(jobFor(url, { buildCommand }));
  expect(messageOf(state)).toContain("in step 'build' because its work folder grew over 4000000 bytes");
});

it('looks at the size once more before packing', async () => {
  const { run } = await setUp({ limits: { folderBytesMax: 4_000_000, folderCheckMilliseconds: 3_600_000 } });
  const { url } = await gitRepository({ Procfile: 'web: true' });
  const { state } = await run(jobFor(url, { buildCommand: 'head -c 6000000 /dev/urandom > big' }));
  expect(messageOf(state)).toContain("in step 'pack' because its work folder grew over");
});

describe('the queue', () => {
  it('lets no tenant wait behind the queue of another', async () => {
    const { builder, ended, dataFolder } = await setUp({ concurrency: 2 });
    const { url } = await gitRepository({ Procfile: 'web: true' });
    const out = join(dataFolder, 'order');
    const gate = join(dataFolder, 'gate');
    const named = (name: string) =>
      jobFor(url, {
        buildCommand: `echo ${name} >> ${out} && until [ -e ${gate}-${name} ] ; do sleep 0.02 ; done`,
      });
    const greedy = ['one', 'two', 'three', 'four'].map((name) => ({ ...named(name), tenantId: 'greedy' }));
    const other = { ...named('other'), tenantId: 'other' };
    const ids: string[] = [];
    for (const job of [...greedy, other]) ids.push((await builder.start(job)).buildId);
    await writeFile(`${gate}-one`, '');
    await until(() => existsSync(out) && readFileSync(out, 'utf8').includes('other'), {
      what: 'the build of the other',
    });
    expect(readFileSync(out, 'utf8')).not.toContain('three');
    for (const name of ['two', 'three', 'four', 'other']) await writeFile(`${gate}-${name}`, '');
    for (const id of ids) expect((await ended(id)).state).toBe('succeeded');
  });

  it('starts once a token, runs so many at a time and in order, and announces start and end', async () => {
    const { builder, changes, ended, dataFolder } = await setUp({ concurrency: 1 });
    const { url } = await gitRepository({ Procfile: 'web: true' });
    const gate = join(dataFolder, 'gate');
    const jobs = ['one', 'two', 'three'].map((name) =>
      jobFor(url, {
        buildCommand: `echo ${name} >> ${gate}.out && until [ -e ${gate} ] ; do sleep 0.02 ; done`,
      }),
    );
    const starts = await Promise.all(jobs.flatMap((job) => [job, job]).map((job) => builder.start(job)));
    const ids = [...new Set(starts.map((start) => start.buildId))];
    expect(ids).toHaveLength(3);
    const [first = '', second = '', third = ''] = ids;
    await until(() => existsSync(`${gate}.out`), { what: 'the first build' });
    expect(await Promise.all(ids.map((id) => builder.state(id)))).toEqual([
      { state: 'running' },
      { state: 'waiting' },
      { state: 'waiting' },
    ]);
    await builder.stop(third);
    await writeFile(gate, '');
    expect((await ended(first)).state).toBe('succeeded');
    expect((await ended(second)).state).toBe('succeeded');
    expect((await ended(third)).state).toBe('stopped');
    expect(await readFile(`${gate}.out`, 'utf8')).toBe('one\ntwo\n');
    await until(() => changes.length === 5, { what: 'every change to be announced' });
    expect(changes.map((change) => change.buildId)).toEqual([first, third, first, second, second]);
    expect(changes[0]?.ref).toEqual({
      tenantId: jobs[0]?.tenantId,
      deploymentId: jobs[0]?.deploymentId,
      revisionId: jobs[0]?.revisionId,
    });
  });

  it('remembers after a restart how builds ended, knows which were lost, and clears their folders', async () => {
    const before = await setUp();
    const { url } = await gitRepository({ Procfile: 'web: true' });
    const good = jobFor(url);
    const { buildId, state } = await before.run(good);
    const hanging = jobFor(url, { installCommand: 'echo up && sleep 60' });
    const lost = await before.builder.start(hanging);
    const isUp = async () => (await before.logOf(hanging)).some((entry) => entry.message === 'up');
    await until(isUp, { what: 'the install' });
    await before.builder.close();
    expect(before.processes.groups.size).toBe(0);
    const { dataFolder } = before;
    await mkdir(join(dataFolder, 'work', 'left-over', 'deep'), { recursive: true });
    const after = await setUp({ dataFolder });
    expect(await after.builder.state(buildId)).toEqual(state);
    expect(await after.builder.state(lost.buildId)).toEqual({ state: 'lost' });
    expect(await after.builder.state('../../etc/passwd')).toEqual({ state: 'absent' });
    expect(await readdir(join(dataFolder, 'work'))).toEqual([]);
    expect(await after.builder.start(good)).toEqual({ buildId });
    expect(after.changes).toEqual([]);
  });
});

it('starts no build for another kind of machine than this one', async () => {
  const { builder } = await setUp();
  const job = jobFor('https://example.com/a.git', { platforms: ['darwin/arm64v9'] });
  const own = platformOf(process);
  await expect(builder.start(job)).rejects.toMatchObject({ name: 'CannotBuildFor', able: [own] });
});
