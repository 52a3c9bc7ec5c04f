import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DurableMachine, type DurableSpec } from './machine.ts';
import { Revisions } from './survival/artifacts.ts';
import { Clients, type ThreadState } from './survival/clients.ts';
import { STEPS } from './survival/graph.ts';
import { Killer } from './survival/kills.ts';
import { type Kill, type StepLine, told, verdictOf } from './survival/lines.ts';

/** `npm run test:survival` counts all; every run of CI a part of it. */
const isThirty = process.env.TEST_SURVIVAL === 'whole';
const THREADS = isThirty ? 40 : 16;
const DEPLOYS = isThirty ? 30 : 12;
/** Threads that begin before the first of the deploys. One more begins with each of them. */
const EARLY = THREADS - DEPLOYS;
/** One a deploy, so as many of each. */
const KILLED: readonly Kill['what'][] = ['server', 'worker', 'postgres'];
const STEP_SECONDS = '1';
/** A thread that waits is answered after so many deploys, while others are killed. */
const ANSWERED_AFTER = isThirty ? 10 : 4;

describe('a durable agent on a machine', () => {
  const ends: (() => void | Promise<void>)[] = [];
  let machine: DurableMachine;
  let revisions: Revisions;
  let clients: Clients;
  let killer: Killer;
  let stepsFile: string;
  let waiting: string;

  beforeAll(async () => {
    machine = await DurableMachine.start((end) => void ends.unshift(end));
    stepsFile = join(machine.dataFolder, 'steps.txt');
    await writeFile(stepsFile, '');
    revisions = new Revisions(machine);
    clients = new Clients((path) => machine.url('survivor', path));
    killer = new Killer(machine, stepsFile, machine.url('survivor', '/ready'));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  const environment = (word: string): DurableSpec['environment'] =>
    Object.entries({ STEPS_FILE: stepsFile, STEP_SECONDS, WORD: word }).map(([name, value]) => ({
      name,
      value,
    }));

  async function startThread(graph: 'steps' | 'human'): Promise<string> {
    const thread = await clients.newThread();
    await clients.startRun(thread, { assistant_id: graph, input: { steps: [] } });
    return thread;
  }

  async function answer(thread: string): Promise<void> {
    await clients.ended(thread);
    await clients.startRun(thread, { assistant_id: 'human', command: { resume: 'yes' } }, 1);
  }

  test('keeps every run, step and answer through deploys and kills', async () => {
    await revisions.build();
    await machine.deploy(await revisions.next(environment('word 0')));
    waiting = await startThread('human');
    expect(await clients.ended(waiting)).toMatchObject({ next: ['build00_approve'] });
    const threads = await Promise.all(Array.from({ length: EARLY }, () => startThread('steps')));

    const humans: string[] = [];
    const answers: Promise<void>[] = [];
    const failures: string[] = [];
    for (let deploy = 1; deploy <= DEPLOYS; deploy++) {
      const spec = await revisions.next(environment(`word ${deploy}`));
      const what = KILLED[deploy % KILLED.length] ?? 'server';
      const [thread] = await Promise.all([
        startThread('steps'),
        killer.kill(what, 1 + (deploy % 7)),
        machine.deploy(spec).catch((error: unknown) => void failures.push(`${deploy}: ${String(error)}`)),
      ]);
      threads.push(thread);
      if (deploy + ANSWERED_AFTER <= DEPLOYS) humans.push(await startThread('human'));
      const answered = humans[deploy - ANSWERED_AFTER - 1];
      if (answered !== undefined) answers.push(answer(answered));
    }
    await Promise.all(answers);
    const ended = await Promise.all(
      threads.map(async (thread) => [thread, await clients.ended(thread)] as const),
    );
    await killer.settled();
    const story = storyOf(ended, killer.lines(), killer.kills);
    const answered = await Promise.all(humans.map((thread) => clients.ended(thread)));
    expect(failures).toEqual([]);
    expect(story).toMatchObject({ lost: [], truncated: [], repeated: [] });
    expect(answered.map(({ status, next }) => [status, ...next])).toEqual(humans.map(() => ['success']));
    for (const [index, { values }] of answered.entries()) {
      const name = revisions.nameOf(index + 1);
      const [before, approved = '', after, ...more] = values.steps;
      expect([before, after, ...more]).toEqual([`${name} before`, `${name} after`]);
      const word = new RegExp(`^${name} yes word (\\d+)$`).exec(approved)?.[1];
      // A server that runs already, since another thread wanted it, has the values of when it was started.
      expect(Number(word)).toBeGreaterThanOrEqual(index + 1);
    }
    expect(killer.kills).toHaveLength(DEPLOYS);
    // Kills that cost no step again would not have hit what they were meant for.
    expect(story.repeatedByKills).toBeGreaterThan(DEPLOYS / KILLED.length);
  }, 1_200_000);

  test('answers a thread that waited across all of them by its own code, with the newest secrets', async () => {
    const body = { assistant_id: 'human', command: { resume: 'yes' } };
    expect(await clients.ask('POST', `/threads/${waiting}/runs/wait`, body)).toMatchObject({
      steps: ['build00 before', `build00 yes word ${DEPLOYS}`, 'build00 after'],
    });
    expect(await clients.ended(waiting)).toMatchObject({ status: 'success', next: [] });
  });
});

type Story = {
  /** Threads whose run has not ended well. */
  lost: string[];
  /** Those that say so, though not every step has run. */
  truncated: string[];
  /** Those of which a step ran again without a kill, or twice after one. */
  repeated: string[];
  repeatedByKills: number;
};

/** What became of each thread, told by its state and by what its steps have written. */
function storyOf(
  ended: readonly (readonly [thread: string, state: ThreadState])[],
  lines: readonly StepLine[],
  kills: readonly Kill[],
): Story {
  const story: Story = { lost: [], truncated: [], repeated: [], repeatedByKills: 0 };
  for (const [thread, { status, next, values }] of ended) {
    const own = lines.filter((line) => line.thread === thread);
    const runs = [...Map.groupBy(own, ({ run }) => run).values()];
    const verdicts = runs.map((of) => verdictOf(of, kills));
    const account = `${status}, goes on at [${next}], ${values.steps.length} steps in its state\n${runs.map((of) => told(of, kills)).join('\n')}`;
    if (status !== 'success') story.lost.push(account);
    const isWhole = runs.length > 0 && verdicts.every((one) => one.isWhole);
    if (!isWhole || next.length > 0 || values.steps.length !== STEPS * runs.length)
      story.truncated.push(account);
    if (verdicts.some(({ repeated }) => repeated > 0)) story.repeated.push(account);
    story.repeatedByKills += verdicts.reduce((sum, one) => sum + one.repeatedByKills, 0);
  }
  return story;
}
