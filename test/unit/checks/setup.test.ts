import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, readlink, rm, utimes } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { endWithRun } from '../../support/run/end-with-run.ts';
import { freshClone, nodeOf } from '../../support/setup/fresh-clone.ts';
import { until } from '../../support/until.ts';

const OURS = 'node_modules/.bin/node';
const old = nodeOf('v20.20.2');
const ours = nodeOf('v24.21.0');
const enough = nodeOf('v26.1.0');
const done = { code: 0, said: '' };

it('installs once; a second start runs nothing but the question for the version of Node', async () => {
  const { setup, npmCalls, nodeCalls } = await freshClone({ own: enough });
  expect(await setup()).toMatchObject({ code: 0 });
  const before = (await nodeCalls()).length;
  expect(await setup()).toEqual(done);
  expect((await nodeCalls()).slice(before)).toEqual(['--version']);
  expect(await npmCalls()).toHaveLength(1);
});

it('installs what a changed lockfile names, and nothing when only its time has changed', async () => {
  const { setup, npmCalls, wholeVersion, raise, at } = await freshClone({ own: enough });
  await setup();
  const later = new Date(Date.now() + 60_000);
  await utimes(at('package-lock.json'), later, later);
  expect(await setup()).toEqual(done);
  expect(await npmCalls()).toHaveLength(1);
  await raise('2.0.0');
  expect(await setup()).toMatchObject({ code: 0 });
  expect([await wholeVersion('zod'), (await npmCalls()).length]).toEqual(['2.0.0', 2]);
});

it('brings no tools for a start, all for tests, and `all` serves a start', async () => {
  const { setup, npmCalls, has } = await freshClone({ own: enough });
  await setup('run');
  expect(['zod', 'vitest', '@kubernetes/client-node'].map(has)).toEqual([true, false, false]);
  await setup('all');
  expect(['zod', 'vitest', '@kubernetes/client-node'].map(has)).toEqual([true, true, true]);
  expect([await setup('run'), await setup('kubernetes'), (await npmCalls()).length]).toEqual([done, done, 2]);
});

it.each([['all'], ['kubernetes']])(
  'a start after %s takes nothing away, also of a new lockfile',
  async (first) => {
    const { setup, wholeVersion, raise, npmCalls } = await freshClone({ own: enough });
    await setup('run');
    await setup(first);
    const calls = (await npmCalls()).length;
    expect([await setup('run'), (await npmCalls()).length]).toEqual([done, calls]);
    await raise('2.0.0');
    await setup('run');
    expect([await wholeVersion('zod'), await wholeVersion('@kubernetes/client-node')]).toEqual([
      '2.0.0',
      '2.0.0',
    ]);
    expect(await wholeVersion('vitest')).toBe(first === 'all' ? '2.0.0' : undefined);
  },
);

it('takes over what somebody has installed with npm by hand, and keeps it', async () => {
  const { setup, npmCalls, at, has, write } = await freshClone({ own: enough });
  await setup('all');
  await rm(at('node_modules/.slipway'), { recursive: true });
  expect([await setup('run'), await setup('all'), (await npmCalls()).length]).toEqual([done, done, 1]);
  await write(
    'node_modules/.package-lock.json',
    '{"packages":{"node_modules/vitest":{"version":"1.0.0","dev":true}}}',
  );
  const soon = new Date(Date.now() + 1_000);
  await utimes(at('node_modules/.package-lock.json'), soon, soon);
  await setup('run');
  expect([has('vitest'), (await npmCalls()).length]).toEqual([true, 2]);
});

it('begins again after an install that was cut off, and keeps what was whole', async () => {
  const { setup, at, write, wholeVersion, has } = await freshClone({ own: enough });
  await setup('kubernetes');
  await write('node_modules/@kubernetes/client-node/mine');
  await write('cut-off');
  expect((await setup('run')).said).toContain('The next start begins again');
  expect([has('zod'), await wholeVersion('zod')]).toEqual([true, undefined]);
  await rm(at('cut-off'));
  expect(await setup('run')).toMatchObject({ code: 0 });
  expect([await wholeVersion('zod'), has('@kubernetes/client-node/mine')]).toEqual(['1.0.0', true]);
});

it('says what it does while npm works, in lines where there is no terminal', async () => {
  const { start, write, at } = await freshClone({ own: old, ours });
  await write('held-up');
  const { said, ended } = start('run');
  const first = 'Installing what Slipway needs to run and Node 24: 2 packages\n';
  await until(async () => said() === first, { what: 'its first line' });
  await rm(at('held-up'));
  expect((await ended).said).toMatch(new RegExp(`^${first}( {2}\\d of 2 packages\n)*Installed in \\d+ s\n$`));
});

it('names only sets of which something is missing', async () => {
  const { setup } = await freshClone({ own: old, ours });
  await setup('run');
  expect((await setup('kubernetes')).said).toMatch(/^Installing the client of Kubernetes: 1 packages\n/);
  expect((await setup('all')).said).toMatch(/^Installing what Slipway and its tests need: 1 packages\n/);
});

it('two at once: one waits, and finds it done', async () => {
  const { start, write, at, npmCalls } = await freshClone({ own: enough });
  await write('held-up');
  const one = start('run');
  await until(async () => (await npmCalls()).length === 1, { what: 'npm' });
  const other = start('run');
  await until(async () => other.said().includes('Waiting for it'), { what: 'its word' });
  await rm(at('held-up'));
  const ends = await Promise.all([one.ended, other.ended]);
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
  expect(await npmCalls()).toHaveLength(1);
});

it('a signal ends npm too, and nobody waits for who is gone', async () => {
  const { start, setup, write, at, npmCalls, wholeVersion } = await freshClone({ own: enough });
  await write('held-up');
  const { ended } = start('run');
  await until(async () => (await npmCalls()).length === 1, { what: 'npm' });
  const turns = (await readdir(at('node_modules/.slipway'))).filter((name) => name.startsWith('turn-'));
  const [installer] = (await readFile(at('node_modules/.slipway', turns[0] ?? ''), 'utf8')).split(' ');
  process.kill(Number(installer), 'SIGTERM');
  expect((await ended).code).toBe(143);
  await rm(at('held-up'));
  expect(await setup()).toMatchObject({ code: 0 });
  expect([await wholeVersion('zod'), (await npmCalls()).length]).toEqual(['1.0.0', 2]);
});

it.runIf(process.platform === 'linux')('nor for one that has ended and was not reaped', async () => {
  const { setup, write, at } = await freshClone({ own: enough });
  // The child ends once its parent is `sleep`, which asks after no child.
  const child = '(until [ "$(cat /proc/$$/comm)" = sleep ]; do :; done)';
  const parent = spawn('/bin/sh', ['-c', `${child} & echo $!; exec sleep 3600`]);
  endWithRun(parent);
  const [printed] = await once(parent.stdout, 'data');
  const stat = `/proc/${String(printed).trim()}/stat`;
  await until(async () => (await readFile(stat, 'utf8')).includes(') Z '), { what: 'its end' });
  await mkdir(at('node_modules/.slipway'), { recursive: true });
  await write('node_modules/.slipway/turn-1', String(printed).trim());
  expect(await setup()).toMatchObject({ code: 0, said: expect.not.stringContaining('Waiting for it') });
  parent.kill();
});

it.each(['v24.0.0', 'v26.10.0', 'v100.1.0'])('fetches no Node where the user has %s', async (version) => {
  const { setup, npmCalls, has } = await freshClone({ own: nodeOf(version), ours });
  expect(await setup()).toMatchObject({ code: 0 });
  expect([has('node-here'), (await npmCalls()).some((call) => call.includes('packages/node'))]).toEqual([
    false,
    false,
  ]);
});

it.each([true, false])('fetches Node where the user’s is below 24 (npm links it: %s)', async (linked) => {
  const { setup, at, npmCalls } = await freshClone({ own: old, ours, linked });
  expect(await setup()).toMatchObject({ code: 0 });
  expect([await setup(), (await npmCalls()).length]).toEqual([done, 1]);
  expect(await readlink(at(OURS))).toBe('../node-here/bin/node');
});

const needs =
  /Slipway needs Node\.js 24 or newer: npm installed none [^\n]+ Install one from https:\/\/nodejs\.org, then run this again\.\n$/;

it('takes one of ours that does not run out of the way', async () => {
  const { setup, has } = await freshClone({ ours: '#!/bin/sh\necho no such loader >&2\nexit 1\n', own: old });
  expect((await setup()).said).toMatch(needs);
  expect(has('.bin/node')).toBe(false);
});

it('says what to install where npm has none for this machine, and tries again the next time', async () => {
  const { setup, npmCalls } = await freshClone({ own: old });
  const { code, said } = await setup();
  expect([code, said]).toEqual([1, expect.stringMatching(needs)]);
  expect(said).toContain('yours is v20.20.2.');
  await setup();
  expect(await npmCalls()).toHaveLength(2);
});

it('says what to install where there is no Node at all', async () => {
  const { setup } = await freshClone({});
  expect((await setup()).said).toContain('yours is missing.');
});
