import { setTimeout as delay } from 'node:timers/promises';
import { expectApi, type Program, startProgram } from '../support/programs/program.ts';
import { cpuSeconds, labelOf, residentMegabytes } from './idle.ts';
import { aTemplate, claim, filled, LINES, REVISIONS, remove, type Template } from './scale-data.ts';
import { printTable, quantile } from './table.ts';

const FEW = 10;
const MANY = 1_000;
const TIMES = 40;
const STARTS = 5;
const SETTLE_MILLISECONDS = 10_000;
const MEASURED_SECONDS = 30;

type Side = { program: Program };
type Figure = [what: string, few: number, many: number];

/**
 * A machine with much on it beside the same with little, at once: 1,000 deployments of 100 tenants against 10
 * of one. Nothing runs: their listener only pretends. What is no list must not take longer.
 */
export async function scale(): Promise<void> {
  const template = await aTemplate();
  const sides: Side[] = [];
  try {
    const data = [await filled(template, FEW), await filled(template, MANY)];
    const starts = await startsOf(data.map(({ dataFolder }) => dataFolder));
    for (const { dataFolder } of data) sides.push(await started(dataFolder));
    const [few, many] = sides;
    if (few === undefined || many === undefined) throw new Error('both must run');
    await delay(SETTLE_MILLISECONDS);
    const figures: Figure[] = [
      ['start, ms', starts[0] ?? 0, starts[1] ?? 0],
      ...(await memoryOf(few, many)),
      ...(await idleOf(few, many)),
      ...(await asked(few, many, template)),
    ];
    const [items = 0] = data.map((each) => each.items).toReversed();
    printTable(
      `${MANY} deployments of 100 tenants, ${MANY * REVISIONS} revisions, ${MANY * LINES} log lines, ${items} items; ${TIMES} of each request, median`,
      ['', `${FEW} deployments`, `${MANY} deployments`, 'ratio'],
      figures.map(([what, one, other]) => [what, one, other, (other / one).toFixed(2)]),
    );
  } finally {
    for (const { program } of sides) await program.stop();
    await remove(template);
  }
}

/** What the start of each takes, by turns: the median. */
async function startsOf(folders: readonly string[]): Promise<number[]> {
  const taken = folders.map((): number[] => []);
  for (let time = 0; time < STARTS; time += 1)
    for (const [at, folder] of folders.entries()) {
      const begin = performance.now();
      const { program } = await started(folder);
      taken[at]?.push(performance.now() - begin);
      await program.stop();
    }
  return taken.map((each) => quantile(each, 0.5));
}

async function started(dataFolder: string): Promise<Side> {
  // A sweep a second, so that what it costs shows.
  return { program: await startProgram({ dataFolder, environment: { SLIPWAY_SWEEP_SECONDS: '1' } }) };
}

/** Each part of the program, by its name. */
async function partsOf({ program }: Side): Promise<Map<string, number>> {
  return new Map((await program.alive()).map(({ pid, command }) => [labelOf(command), pid]));
}

async function memoryOf(few: Side, many: Side): Promise<Figure[]> {
  const [one, other] = [await partsOf(few), await partsOf(many)];
  const names = ['local.ts', 'listener.ts', 'dynoxide'];
  return Promise.all(
    names.map(async (name): Promise<Figure> => {
      const of = (parts: Map<string, number>) => residentMegabytes(parts.get(name) ?? 0);
      return [`memory of ${name}, MiB`, await of(one), await of(other)];
    }),
  );
}

/** What both use while nobody asks anything, with a sweep a second. */
async function idleOf(few: Side, many: Side): Promise<Figure[]> {
  const parts = [await partsOf(few), await partsOf(many)];
  const used = () =>
    Promise.all(
      parts.map(async (each) => {
        const all = await Promise.all([...each.values()].map((pid) => cpuSeconds(pid)));
        return all.reduce((sum, seconds) => sum + seconds, 0);
      }),
    );
  const before = await used();
  await delay(MEASURED_SECONDS * 1000);
  const after = await used();
  const [one = 0, other = 0] = after.map((seconds, at) => seconds - (before[at] ?? 0));
  return [
    [
      'idle with a sweep a second, % of a core',
      (one / MEASURED_SECONDS) * 100,
      (other / MEASURED_SECONDS) * 100,
    ],
  ];
}

/** Each request to one after the other, so that both meet the same machine. */
async function asked(few: Side, many: Side, template: Template): Promise<Figure[]> {
  const { deploymentId: id, revisionId, listener } = template;
  const get = (path: string) => (program: Program) => expectApi(program, 'GET', path, undefined, 200);
  const requests: [string, (program: Program) => Promise<unknown>][] = [
    ['a list: 100 deployments', get('/v2/deployments?limit=100')],
    ['a list: 10 deployments', get('/v2/deployments?limit=10')],
    ['a page: a deployment', get(`/v2/deployments/${id}`)],
    ['a page: its revisions', get(`/v2/deployments/${id}/revisions?limit=20`)],
    ['a page: its log, newest', get(`/v2/deployments/${id}/revisions/${revisionId}/logs?type=deploy`)],
    ['a feed: 100 events', get('/v2/events?after=0&limit=100')],
    ['a claim', (program) => claim(program, listener)],
    [
      'what should run there (a list)',
      async (program) => {
        await expectApi(
          { ...program, apiKey: listener.key },
          'GET',
          `/v2/listeners/${listener.id}/desired`,
          undefined,
          200,
        );
      },
    ],
  ];
  const figures: Figure[] = [];
  for (const [what, request] of requests) {
    const taken: [number[], number[]] = [[], []];
    for (let time = 0; time < TIMES; time += 1)
      for (const [at, { program }] of [few, many].entries()) {
        const begin = performance.now();
        await request(program);
        taken[at]?.push(performance.now() - begin);
      }
    figures.push([`${what}, ms`, quantile(taken[0], 0.5), quantile(taken[1], 0.5)]);
  }
  return figures;
}
