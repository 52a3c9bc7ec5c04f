import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { whyNoWheel } from '../../../lib/compute/postgres/binaries.ts';
import { isAway } from '../../../lib/compute/postgres/client.ts';
import { canReach, postgresUser, userNamed } from '../../../lib/compute/postgres/user.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { newFolder } from '../../support/files/temporary-folder.ts';

describe('where PostgreSQL can be had', () => {
  test.each([
    ['linux-x64', '2.28'],
    ['linux-arm64', '2.41'],
    ['darwin-arm64', undefined],
  ])('%s with glibc %s: there', (platform, glibc) => {
    expect(whyNoWheel({ platform, glibc })).toBeUndefined();
  });

  test.each([
    ['linux-x64', undefined, 'needs glibc 2.28 or later, and this machine has another C library'],
    ['linux-x64', '2.17', 'this machine has glibc 2.17'],
    ['freebsd-x64', undefined, 'there is no PostgreSQL for freebsd-x64 (there is for linux-x64, '],
  ])('%s with glibc %s: not, and why', (platform, glibc, reason) => {
    expect(whyNoWheel({ platform, glibc })).toContain(reason);
  });
});

describe('whom PostgreSQL runs as', () => {
  const passwd =
    'root:x:0:0:root:/root:/bin/bash\nslipway-postgres:x:998:997::/nonexistent:/usr/sbin/nologin\n';

  test('a user is found by its whole name', () => {
    expect(userNamed('slipway-postgres', passwd)).toEqual({ name: 'slipway-postgres', uid: 998, gid: 997 });
    expect(userNamed('slipway', passwd)).toBeUndefined();
  });

  test('is this program itself, unless it is root', async () => {
    const processes = new ProcessSupervisor();
    expect(
      await postgresUser(processes, 'slipway-postgres', new AbortController().signal, false),
    ).toBeUndefined();
    await processes.close();
  });

  test('has to pass through every folder above its own', async () => {
    const other = { uid: 54_321, gid: 54_321 };
    const folder = await newFolder('/tmp');
    const inner = join(folder, 'inner');
    mkdirSync(inner);
    chmodSync(folder, 0o711);
    expect(canReach(join(inner, 'postgres'), other)).toBe(true);
    chmodSync(folder, 0o700);
    expect(canReach(join(inner, 'postgres'), other)).toBe(false);
    const owner = process.getuid?.() ?? 0;
    expect(canReach(join(inner, 'postgres'), { uid: owner, gid: 54_321 })).toBe(true);
  });
});

/** Lets everybody in, and breaks the connection off at once. */
const LETS_IN = Buffer.from([
  ...Buffer.from('R'),
  0,
  0,
  0,
  8,
  0,
  0,
  0,
  0,
  ...Buffer.from('Z'),
  0,
  0,
  0,
  5,
  73,
]);

test('what is asked on a connection that broke before it is asked of a server that is away', async () => {
  const server = createServer((socket) =>
    socket.once('data', () => socket.write(LETS_IN, () => setImmediate(() => socket.resetAndDestroy()))),
  );
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = new Client({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  // The connection's end is one more.
  const broken = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  const error = await broken;
  const asked: unknown = await client.query('SELECT 1').catch((each: unknown) => each);
  expect(String(asked)).toContain('not queryable');
  expect([error, asked].map(isAway)).toEqual([true, true]);
});
