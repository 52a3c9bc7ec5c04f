import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import {
  create,
  deployed,
  discard,
  type Program,
  patch,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';
import { ask, repositoryIn } from './neighbours.ts';
import { printTable, quantile } from './table.ts';

const ASKED_PER_SECOND = 50;
const SECONDS = 20;
const MILLISECONDS = 1000;
const GIBIBYTE = 1024 ** 3;

/** An agent that prints as fast as it can once it is asked to, and still answers. */
const chatty = (server: string): string =>
  server.replace(
    "  if (pathname === '/ok')",
    `  if (pathname === '/print') {
    globalThis.printing = setInterval(() => {
      for (let at = 0; at < 2000; at += 1) console.log('line ' + at + ' of an agent that says what it does');
    }, 0);
  }
  if (pathname === '/quiet') clearInterval(globalThis.printing);
  if (pathname === '/ok')`,
  );

/** What a neighbour does again and again while it is busy; `end` makes it quiet again. */
type Neighbour = {
  begin?: () => Promise<unknown>;
  again?: () => Promise<unknown>;
  end?: () => Promise<unknown>;
};

/**
 * How long `GET /ok` of an agent takes alone, and while others of the same machine are busy: one prints
 * without pause, one unpacks 1 GiB, one deploys, and all three at once.
 */
export async function busyNeighbours(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-neighbours-'));
  const program = await startProgram();
  try {
    const { quiet, prints, unpacks, deploys } = await aScene(program, folder);
    const url = `${quiet.url ?? ''}/ok`;
    const besides: [string, Neighbour[]][] = [
      ['alone', []],
      ['one that prints without pause', [prints]],
      ['one that unpacks 1 GiB', [unpacks]],
      ['one that deploys', [deploys]],
      ['all three', [prints, unpacks, deploys]],
    ];
    const rows: (string | number)[][] = [];
    let alone = Number.NaN;
    for (const [what, neighbours] of besides) {
      const taken = await measure(url, neighbours);
      const p99 = quantile(taken, 0.99);
      if (what === 'alone') alone = p99;
      rows.push([what, quantile(taken, 0.5), p99, Math.max(...taken), p99 / alone]);
    }
    printTable(
      `GET /ok of an agent beside others of its machine: ${ASKED_PER_SECOND} a second for ${SECONDS} s or longer, ms`,
      ['beside', 'p50', 'p99', 'max', 'p99 to alone'],
      rows,
    );
  } finally {
    await discard(program);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Milliseconds of each request, until the time is over and each neighbour has done what it does once. */
async function measure(url: string, neighbours: Neighbour[]): Promise<number[]> {
  for (const { begin } of neighbours) await begin?.();
  const end = performance.now() + SECONDS * MILLISECONDS;
  let working = neighbours.length;
  const work = neighbours.map(async ({ again }) => {
    do await again?.();
    while (again !== undefined && performance.now() < end);
    working -= 1;
  });
  const taken: Promise<number>[] = [];
  // By the clock, not one after the other: a request that waits makes no later one come later.
  for (let due = performance.now(); due < end || working > 0; due += MILLISECONDS / ASKED_PER_SECOND) {
    await delay(Math.max(0, due - performance.now()));
    taken.push(ask(url));
  }
  const all = await Promise.all(taken);
  await Promise.all(work);
  for (const { end: stop } of neighbours) await stop?.();
  return all;
}

type Scene = { quiet: ShownDeployment } & Record<'prints' | 'unpacks' | 'deploys', Neighbour>;

async function aScene(program: Program, folder: string): Promise<Scene> {
  const files = await helloFiles();
  const start = async (name: string, changed: Awaited<ReturnType<typeof helloFiles>>) => {
    const { url } = await repositoryIn(join(folder, name), { ...files, ...changed });
    return deployed(program, await create(program, name, url));
  };
  const redeploying = (id: string) => async () =>
    deployed(program, await patch(program, id, { source_revision_config: { repo_ref: 'main' } }));
  const quiet = await start('quiet', {});
  const loud = await start('loud', { 'server.js': chatty(files['server.js']?.toString() ?? '') });
  const large = await start('large', {
    'package.json': packageJson({ build: 'node build.cjs' }),
    // Not all zeros, which would be no work to unpack.
    'build.cjs': `const { randomBytes } = require('node:crypto');
const piece = Buffer.concat(Array(16).fill(randomBytes(64 * 1024)));
for (let at = 0; at < ${GIBIBYTE}; at += piece.length) require('node:fs').appendFileSync('large.bin', piece);`,
  });
  const next = await start('next', {});
  const toLoud = (path: string) => () => fetch(`${loud.url}${path}`).then((answer) => answer.text());
  return {
    quiet,
    prints: { begin: toLoud('/print'), end: toLoud('/quiet') },
    unpacks: { again: redeploying(large.id) },
    deploys: { again: redeploying(next.id) },
  };
}
