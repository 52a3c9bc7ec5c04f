import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { until } from '../../support/until.ts';
import { ask, newProject, startAgentServer } from './agent-server.ts';

const NOTIFICATION = 'A'.charCodeAt(0);
/** Of a message of PostgreSQL's: a letter, and the length of the rest. */
const HEAD_BYTES = 5;

/** Passes on whole messages of PostgreSQL's, without notifications while it is deaf, as a pooler between loses them. */
function messagesTo(client: Socket, isDeaf: () => boolean): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const length = 1 + rest.readUInt32BE(1);
      if (rest.length < length) return;
      if (rest[0] !== NOTIFICATION || !isDeaf()) client.write(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

function pooler(socketFolder: string, isDeaf: () => boolean): Server {
  return createServer((client) => {
    const database = connect(`${socketFolder}/.s.PGSQL.5432`);
    client.on('data', (chunk) => database.write(chunk));
    database.on('data', messagesTo(client, isDeaf));
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
}

const processes = new ProcessSupervisor();
let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres(processes);
});
afterAll(async () => {
  await processes.close();
  await postgres.stop();
});

test('a server that hears no notification is not ready, and says why, until it hears them again', async () => {
  let isDeaf = false;
  const database = new URL((await postgres.freshDatabase()).replace('@/', '@any/'));
  const between = pooler(database.searchParams.get('host') ?? '', () => isDeaf).listen(0, '127.0.0.1');
  await once(between, 'listening');
  const { port } = between.address() as AddressInfo; // it listens on a port
  const databaseUri = `postgresql://${database.username}:${database.password}@127.0.0.1:${port}${database.pathname}?sslmode=disable`;
  try {
    const server = await startAgentServer(processes, { folder: await newProject(processes), databaseUri });
    isDeaf = true;
    const notReady = await until(
      async () => {
        const { status, text } = await ask(server, 'GET', '/ready');
        return status === 503 ? text : undefined;
      },
      { what: 'the server to hear nothing' },
    );
    expect(JSON.parse(notReady)).toEqual({
      ok: false,
      detail: expect.stringContaining('hears no NOTIFY: a pooler in transaction mode is between'),
    });
    // It serves all the same: what is missed is found by looking.
    const run = { assistant_id: 'agent', input: { steps: [] } };
    expect((await ask(server, 'POST', '/runs/wait', run)).status).not.toBe(503);
    isDeaf = false;
    await until(async () => (await ask(server, 'GET', '/ready')).status === 200, {
      what: 'the server to hear again',
    });
  } finally {
    between.close();
  }
});
