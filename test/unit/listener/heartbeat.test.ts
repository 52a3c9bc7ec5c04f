import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Heartbeat } from '../../../lib/listener/heartbeat.ts';
import { createLog } from '../../../lib/listener/log.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

/** A heartbeat with a clock of the test's; `beats` says whether an answer of the cluster made it write. */
async function aHeartbeat() {
  const file = join(await temporaryFolder(), 'heartbeat');
  const clock = { now: 0 };
  const heartbeat = new Heartbeat(
    file,
    createLog('error', () => undefined),
    () => clock.now,
  );
  const beats = () => {
    rmSync(file, { force: true });
    heartbeat.answered();
    return existsSync(file);
  };
  return { heartbeat, clock, beats };
}

it('a listener that waits writes whenever the cluster says who leads', async () => {
  const { clock, beats } = await aHeartbeat();
  expect(beats()).toBe(true);
  clock.now = 3_600_000;
  expect(beats()).toBe(true);
});

it('one that leads writes only while it goes on asking the control plane', async () => {
  const { heartbeat, clock, beats } = await aHeartbeat();
  heartbeat.attempted();
  clock.now = 150_000;
  expect(beats()).toBe(true);
  clock.now = 150_001;
  expect(beats()).toBe(false);
  heartbeat.attempted();
  expect(beats()).toBe(true);
});

it('one that was told to rest need not ask before that is over', async () => {
  const { heartbeat, clock, beats } = await aHeartbeat();
  heartbeat.attempted();
  heartbeat.rests(300_000);
  clock.now = 450_000;
  expect(beats()).toBe(true);
  clock.now = 450_001;
  expect(beats()).toBe(false);
  heartbeat.attempted();
  heartbeat.rests(5_000);
  clock.now += 155_001;
  expect(beats()).toBe(false);
});

it('a file that cannot be written is said, and nothing else happens', async () => {
  const lines: string[] = [];
  const file = join(await temporaryFolder(), 'missing', 'heartbeat');
  new Heartbeat(
    file,
    createLog('info', (line) => lines.push(line)),
  ).answered();
  expect(lines).toEqual([expect.stringMatching(/--heartbeat-file cannot be written: ENOENT/)]);
});
