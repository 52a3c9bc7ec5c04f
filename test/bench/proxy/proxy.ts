import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds, residentMegabytes } from '../idle.ts';
import { printTable } from '../table.ts';
import { type Contender, haproxy, nginx, ours, program } from './contenders.ts';
import { idleStreams, perSecond, slowest, slowestEvent, type Where } from './requests.ts';

const CONNECTIONS = 16;
const STREAMS = 4;
const IDLE_STREAMS = 1_000;
const EACH_SECOND = 500;
const SECONDS = 2;
/** Other work of the machine comes and goes; the best of so many is what each can do. */
const ROUNDS = 2;

type Measured = Record<string, number>;

const at = ({ port, path }: Where, more: string): Where => ({ port, path: `${path}${more}` });

/** What one of them does. Columns: what is asked for, as a rate or a time in milliseconds. */
async function measure({ where, pid }: Contender): Promise<Measured> {
  const small = at(where, '/bytes/1000');
  const large = at(where, '/bytes/100000');
  const before = await cpuOf(pid());
  const rate = await perSecond(small, CONNECTIONS, SECONDS);
  const cpu = (await cpuOf(pid())) - before;
  const measured: Measured = {
    '1 kB /s': rate.perSecond,
    'cpu µs': (cpu / rate.all) * 1e6,
    p99: await slowest(small, EACH_SECOND, SECONDS),
    '100 kB /s': (await perSecond(large, CONNECTIONS, SECONDS)).perSecond,
    'p99 ': await slowest(large, EACH_SECOND, SECONDS),
    'streams /s': (await perSecond(at(where, '/events'), STREAMS, SECONDS)).perSecond,
    'event p99': await slowestEvent(where, EACH_SECOND, SECONDS),
  };
  const close = await idleStreams(where, IDLE_STREAMS);
  measured['beside idle /s'] = (await perSecond(small, CONNECTIONS, SECONDS)).perSecond;
  measured['p99  '] = await slowest(small, EACH_SECOND, SECONDS);
  measured['MiB'] = await residentMegabytes(pid() ?? 0);
  close();
  return measured;
}

const cpuOf = async (pid: number | undefined): Promise<number> => (pid === undefined ? 0 : cpuSeconds(pid));

/** Rates: the most; times: the least. */
function best(rounds: readonly Measured[]): Measured {
  const names = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const values = rounds.map((round) => round[name] ?? Number.NaN);
      return [name, name.endsWith('/s') ? Math.max(...values) : Math.min(...values)];
    }),
  );
}

/**
 * How many requests a second pass each proxy to one server, with 16 connections that ask again at once, and
 * how long 99 of 100 take at 500 a second: 1 kB, 100 kB, streams of 1,000 events, and 1 kB beside 1,000 idle
 * streams.
 */
export async function proxy(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  const server = await program('server.ts');
  const behind = server.where.port;
  const all = new Map<string, Contender>([['direct', server]]);
  try {
    all.set('Slipway', await ours(behind));
    all.set('httpxy', await program('httpxy.ts', [String(behind)]));
    for (const [name, start] of Object.entries({ nginx, haproxy })) {
      const contender = await start(folder, behind);
      if (contender === undefined) console.log(`${name} is left out: it is not installed.`);
      else all.set(name, contender);
    }
    const rounds = new Map([...all.keys()].map((name): [string, Measured[]] => [name, []]));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [name, contender] of all) rounds.get(name)?.push(await measure(contender));
    print(new Map([...rounds].map(([name, each]) => [name, best(each)])));
  } finally {
    for (const contender of [...all.values()].toReversed()) await contender.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What Slipway shall reach. */
const AIMS = { direct: 0.25, nginx: 0.5 };

function print(measured: ReadonlyMap<string, Measured>): void {
  const [first = {}] = measured.values();
  const names = Object.keys(first);
  printTable(
    `Through a proxy, ${CONNECTIONS} connections; best of ${ROUNDS} rounds; p99 in ms at ${EACH_SECOND}/s`,
    ['proxy', ...names],
    [...measured].map(([name, each]) => [name, ...names.map((column) => each[column] ?? Number.NaN)]),
  );
  const own = measured.get('Slipway') ?? {};
  const rates = names.filter((name) => name.endsWith('/s'));
  printTable(
    'Of Slipway, as a part of',
    ['', ...rates, 'aim'],
    Object.entries(AIMS).flatMap(([name, aim]) => {
      const other = measured.get(name);
      if (other === undefined) return [];
      const parts = rates.map((rate) => ((own[rate] ?? 0) / (other[rate] ?? 1)).toFixed(2));
      return [[name, ...parts, String(aim)]];
    }),
  );
}
