import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { ProcessGroup } from '../../../lib/processes/group.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { processesOf } from '../../../lib/processes/table/read.ts';
import { TICKS_PER_SECOND } from '../../../lib/processes/table/source.ts';
import { type AgentServer, newProject, startAgentServer } from '../../agents/agent-runtime/agent-server.ts';
import { devPython, startDev } from '../../agents/agent-runtime/dev-server.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { readProcesses } from '../../support/programs/processes.ts';
import { run } from '../../support/programs/python-tools.ts';
import { printTable, quantile } from '../table.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const ROUNDS = '20';
const SETTLE_MILLISECONDS = 20_000;
const IDLE_SECONDS = 60;

const seconds = z.array(z.number());
const measured = z.array(z.object({ wait: seconds, first: seconds, events: seconds, at_once: seconds }));
type Measured = z.infer<typeof measured>[number];

type Beside = { dev: AgentServer; ours: AgentServer; startSeconds: [dev: number, ours: number] };

/**
 * The durable agent server beside `langgraph dev`, which keeps its threads in memory: latency as the official
 * SDK for Python sees it, memory, start, and what it costs while nobody asks. Needs Python 3.11 with venv,
 * and PyPI once.
 */
export async function agents(): Promise<void> {
  const processes = new ProcessSupervisor();
  const [postgres, folder, python] = [
    await startTestPostgres(processes),
    await newProject(processes, here),
    await devPython(processes),
  ];
  try {
    const databaseUri = await postgres.freshDatabase();
    const both = await started(processes, { folder, python, databaseUri });
    const script = join(here, 'measure.py');
    const urls = [both.dev.url, both.ours.url];
    const printed = await run(processes, join(python, 'bin/python'), [script, ROUNDS, ...urls]);
    const [dev, ours] = measured.parse(JSON.parse(printed));
    if (dev === undefined || ours === undefined) throw new Error(`nothing was measured: ${printed}`);
    const connections = await countIn(
      postgres,
      databaseUri,
      'select numbackends as count from pg_stat_database',
    );
    await printBeside(both, { dev, ours }, connections);
    await printIdle(both, postgres, databaseUri);
  } finally {
    await processes.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each is started twice: at the first time Python writes down what it has compiled. */
async function started(
  processes: ProcessSupervisor,
  { folder, python, databaseUri }: { folder: string; python: string; databaseUri: string },
): Promise<Beside> {
  const startDevHere = () => startDev(processes, { python, folder });
  const startOurs = () => startAgentServer(processes, { folder, databaseUri });
  for (const start of [startDevHere, startOurs]) await processes.stop((await start()).group, 10_000);
  const begin = performance.now();
  const dev = await startDevHere();
  const between = performance.now();
  const ours = await startOurs();
  return { dev, ours, startSeconds: [(between - begin) / 1_000, (performance.now() - between) / 1_000] };
}

async function printBeside(
  { dev, ours, startSeconds }: Beside,
  times: { dev: Measured; ours: Measured },
  connections: number,
): Promise<void> {
  const row = (what: string, theirs: number, own: number) => [what, theirs, own, theirs / own];
  const timesOf = (what: string, name: keyof Measured, factor: number) =>
    row(what, quantile(times.dev[name], 0.5) * factor, quantile(times.ours[name], 0.5) * factor);
  printTable(
    `The durable agent server beside langgraph dev, p50 of ${ROUNDS} rounds in turn; it has ${connections} connections to PostgreSQL`,
    ['', 'dev', 'durable', 'dev / durable'],
    [
      timesOf('runs.wait, ms', 'wait', 1_000),
      timesOf('first token, ms', 'first', 1_000),
      timesOf('3,000 custom events, ms', 'events', 1_000),
      timesOf('40 waits at once, ms', 'at_once', 1_000),
      row('start to /ok, ms', startSeconds[0] * 1_000, startSeconds[1] * 1_000),
      row('memory after it, MiB of PSS', await memoryOf(dev.group), await memoryOf(ours.group)),
    ],
  );
}

/** What servers cost that nobody asks anything. */
async function printIdle({ dev, ours }: Beside, postgres: TestPostgres, databaseUri: string): Promise<void> {
  await delay(SETTLE_MILLISECONDS);
  const groups = [dev.group, ours.group].map((group) => processesOf(group).map(({ pid }) => pid));
  const all = [...groups, postgresPids(postgres)];
  const cpu = () => Promise.all(all.map((pids) => Promise.all(pids.map(cpuSeconds))));
  const transactions = () =>
    countIn(postgres, databaseUri, 'select xact_commit + xact_rollback as count from pg_stat_database');
  const [cpuBefore, before] = [await cpu(), await transactions()];
  await delay(IDLE_SECONDS * 1_000);
  const [cpuAfter, after] = [await cpu(), await transactions()];
  const percent = cpuAfter.map((pids, group) => {
    // One that has ended meanwhile is left out.
    const used = pids.map((now = 0, index) => Math.max(0, now - (cpuBefore[group]?.[index] ?? now)));
    return (sum(used) / IDLE_SECONDS) * 100;
  });
  printTable(
    `Idle for ${IDLE_SECONDS} s; ${((after - before) * 60) / IDLE_SECONDS} transactions a minute`,
    ['', '% of a core'],
    [
      ['langgraph dev', percent[0] ?? 0],
      ['durable, server and worker', percent[1] ?? 0],
      ['its PostgreSQL', percent[2] ?? 0],
    ],
  );
}

/** Its first process, and those that this has started, one a connection among them. */
function postgresPids({ server }: TestPostgres): number[] {
  const first = server.pid();
  return readProcesses()
    .filter(({ pid, parentPid }) => first !== undefined && (pid === first || parentPid === first))
    .map(({ pid }) => pid);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** One number of the row of a database in a view. The connection that asks is in another database. */
async function countIn(postgres: TestPostgres, databaseUri: string, query: string): Promise<number> {
  const name = new URL(databaseUri.replace('@/', '@localhost/')).pathname.slice(1);
  return postgres.server.asSuperuser('postgres', async (client) => {
    const { rows } = await client.query<{ count: string }>(`${query} where datname = $1`, [name]);
    return Number(rows[0]?.count);
  });
}

/** Memory that a group's processes have for themselves, and their part of what they share, in MiB. */
async function memoryOf(group: ProcessGroup): Promise<number> {
  const parts = processesOf(group).map(async ({ pid }) => {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1_024;
  });
  return sum(await Promise.all(parts));
}

/** User and system time that a process has used; undefined once it has ended. */
async function cpuSeconds(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
