import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { manyEntries, upload, uploadedTo, zeros } from '../support/files/hostile-uploads.ts';
import { discard, type Program, startProgram } from '../support/programs/program.ts';
import { neighbours } from './neighbours.ts';
import { printTable, quantile } from './table.ts';

const REQUESTS_PER_SECOND = 20;
const SECONDS = 15;
const BRACKETS = '['.repeat(1024 * 1024);
/** As large as a body may be, with a mistake at its end. */
const BRACKETS_AND_X = `${'['.repeat(1024 * 1024 - 1)}x`;
const MILLISECONDS = 1000;

type Beside = { what: string; again: (program: Program) => Promise<unknown> };

/**
 * How long `GET /ok` takes, 20 times a second, alone and while somebody sends what was made to keep the API
 * busy, again and again.
 */
export async function hostile(): Promise<void> {
  const bomb = zeros();
  const entries = manyEntries();
  const besides: Beside[] = [
    { what: 'alone', again: () => delay(MILLISECONDS) },
    { what: '2 MB that inflate to 2 GiB', again: uploading('zeros', bomb) },
    { what: '1 MiB of [ to GET /ok', again: (program) => brackets(program, 'GET', '/ok') },
    {
      what: '1 MiB of [ to a callback',
      again: (program) => brackets(program, 'POST', '/v2/auth/callback/nobody'),
    },
    {
      what: '1 MiB of [ and an x to PATCH, with a key',
      again: (program) =>
        brackets(program, 'PATCH', `/v2/deployments/${randomUUID()}`, BRACKETS_AND_X, program.apiKey),
    },
    { what: 'a tarball of 150,000 entries', again: uploading('entries', entries) },
  ];
  const program = await startProgram();
  try {
    const rows: (string | number)[][] = [];
    for (const beside of besides) rows.push([beside.what, ...(await measure(program, beside))]);
    printTable(
      `GET /ok, ${REQUESTS_PER_SECOND} a second for ${SECONDS} s, ms`,
      ['beside', 'times', 'median', 'p95', 'p99', 'max'],
      rows,
    );
  } finally {
    await discard(program);
  }
  await neighbours();
}

function uploading(name: string, content: Buffer): Beside['again'] {
  let deployment: ReturnType<typeof uploadedTo> | undefined;
  return async (program) => {
    deployment ??= uploadedTo(program, name);
    await upload(program, await deployment, content);
  };
}

async function measure(program: Program, { again }: Beside): Promise<(string | number)[]> {
  const end = performance.now() + SECONDS * MILLISECONDS;
  const agent = new Agent({ keepAlive: true });
  let times = 0;
  const beside = (async () => {
    while (performance.now() < end) {
      await again(program);
      times += 1;
    }
  })();
  const asked: Promise<number>[] = [];
  // By the clock, not one after the other: a request that waits makes no later one come later.
  for (let due = performance.now(); due < end; due += MILLISECONDS / REQUESTS_PER_SECOND) {
    await delay(Math.max(0, due - performance.now()));
    asked.push(ask(program, agent));
  }
  const taken = await Promise.all(asked);
  await beside;
  agent.destroy();
  return [
    String(times),
    quantile(taken, 0.5),
    quantile(taken, 0.95),
    quantile(taken, 0.99),
    Math.max(...taken),
  ];
}

/** Milliseconds until the answer is whole. */
function ask(program: Program, agent: Agent): Promise<number> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const sending = request(`${program.baseUrl}/ok`, { agent }, (response) => {
      response.resume().once('end', () => resolve(performance.now() - begin));
    });
    sending.once('error', reject).end();
  });
}

function brackets(
  program: Program,
  method: string,
  path: string,
  content = BRACKETS,
  key?: string,
): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    'content-length': content.length,
    ...(key !== undefined && { 'x-api-key': key, 'x-tenant-id': program.tenantId }),
  };
  return new Promise((resolve, reject) => {
    const sending = request(program.baseUrl + path, { method, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sending.once('error', reject).end(content);
  });
}
