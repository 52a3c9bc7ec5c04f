import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  copyExample,
  create,
  discard,
  ended,
  expectApi,
  type Program,
  type ShownRevision,
  startProgram,
} from '../support/programs/program.ts';
import { printTable, quantile } from './table.ts';

const DEPLOYMENTS = 20;

/** Milliseconds of one deployment, from the request to DEPLOYED, term by term. */
type Terms = Record<string, number>;

/**
 * Control-plane overhead: create to DEPLOYED for the example server, less what builder and listener log as
 * their own time. And, from the same run, how long stream records took to reach dispatch.
 */
export async function overhead(): Promise<void> {
  const repository = await exampleRepository();
  const program = await startProgram({ environment: { SLIPWAY_LOG_LEVEL: 'debug' } });
  try {
    const all: Terms[] = [];
    for (let index = 0; index < DEPLOYMENTS; index++)
      all.push(await deployOnce(program, repository, `hello-${index}`));
    const names = Object.keys(all[0] ?? {});
    printTable(
      `Create to DEPLOYED, hello-server, ${DEPLOYMENTS} deployments, ms`,
      ['term', 'median', 'p95', 'max'],
      names.map((name) => {
        const values = all.map((terms) => terms[name] ?? Number.NaN);
        return [name, quantile(values, 0.5), quantile(values, 0.95), Math.max(...values)];
      }),
    );
    const lags = [...program.output().matchAll(/to dispatch, lag_ms=([\d.]+)/g)].map(([, lag]) =>
      Number(lag),
    );
    printTable(
      'Stream to dispatch, ms from an acknowledged write to the call',
      ['records read', 'median', 'p95', 'max'],
      [[String(lags.length), quantile(lags, 0.5), quantile(lags, 0.95), Math.max(...lags)]],
    );
  } finally {
    await discard(program);
    await rm(repository, { recursive: true });
  }
}

async function exampleRepository(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  await copyExample(folder);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: folder });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=example');
  return folder;
}

async function deployOnce(program: Program, repository: string, name: string): Promise<Terms> {
  const sentAt = Date.now();
  const { id, latest_revision_id: revisionId } = await create(program, name, pathToFileURL(repository).href);
  const answeredAt = Date.now();
  const revision = await ended(program, id, revisionId);
  if (revision.status !== 'DEPLOYED')
    throw new Error(`${name} ended ${revision.status}: ${revision.status_message}`);
  const built = await timing(program, id, revisionId, 'build');
  const run = await timing(program, id, revisionId, 'deploy');
  const at = (status: string): number => timeOf(revision, status);
  const total = at('DEPLOYED') - sentAt;
  const buildTime = built.total_ms ?? 0;
  const listenerTime = Object.values(run).reduce((sum, value) => sum + value, 0);
  return {
    'POST answered': answeredAt - sentAt,
    'QUEUED to AWAITING_BUILD': at('AWAITING_BUILD') - at('QUEUED'),
    'AWAITING_BUILD to BUILDING': at('BUILDING') - at('AWAITING_BUILD'),
    'BUILDING to AWAITING_DEPLOY': at('AWAITING_DEPLOY') - at('BUILDING'),
    'AWAITING_DEPLOY to DEPLOYING': at('DEPLOYING') - at('AWAITING_DEPLOY'),
    'DEPLOYING to DEPLOYED': at('DEPLOYED') - at('DEPLOYING'),
    'total, request to DEPLOYED': total,
    "builder's own time": buildTime,
    "listener's own time": listenerTime,
    'overhead (total less both)': total - buildTime - listenerTime,
  };
}

function timeOf(revision: ShownRevision, status: string): number {
  const entry = revision.status_history.find((one) => one.status === status);
  if (entry === undefined) throw new Error(`the history has no ${status}`);
  return Date.parse(entry.at);
}

/** The terms of the `timing:` line that ends a log. */
async function timing(
  program: Program,
  id: string,
  revisionId: string,
  type: 'build' | 'deploy',
): Promise<Terms> {
  const path = `/v1/projects/${id}/revisions/${revisionId}/${type}_logs`;
  const { logs } = await expectApi<{ logs: { message: string }[] }>(
    program,
    'POST',
    path,
    { query: 'timing:' },
    200,
  );
  const terms = [...(logs.at(-1)?.message ?? '').matchAll(/(\w+)=([\d.]+)/g)];
  if (terms.length === 0) throw new Error(`the ${type} log has no timing line`);
  return Object.fromEntries(terms.map(([, name, value]) => [name ?? '', Number(value)]));
}
