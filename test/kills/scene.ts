import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import {
  discard,
  familyOf,
  type Program,
  revisionUntil,
  type ShownRevision,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { type Answers, change, follow, isServed, type Served, serve } from './deployments.ts';
import type { Order } from './points.ts';

/**
 * `all`: every process of the program dies at once, as when a machine stops; otherwise its children find out
 * by themselves.
 */
export type Kill = Omit<Order, 'point'> & { all: boolean };

/**
 * How long after the kill everything served again, and everything was deployed; what was not as it must be.
 */
export type Recovery = { servesAgainMs: number; deployedMs: number; problems: string[] };

/** Nobody would wait so long: it only ends a run that is stuck. */
const STUCK_MS = 300_000;

/**
 * A program that is killed and started again on the same data, and deployments that serve version after
 * version meanwhile.
 */
export class Scene {
  readonly #folder: string;
  readonly #order: string;
  readonly #served: Served[] = [];
  #program: Program;

  private constructor(folder: string, order: string, program: Program) {
    this.#folder = folder;
    this.#order = order;
    this.#program = program;
  }

  static async open(names: string[]): Promise<Scene> {
    const folder = await newFolder();
    const order = join(folder, 'order.json');
    const scene = new Scene(folder, order, await start(order));
    for (const name of names) scene.#served.push(await serve(scene.#program, folder, name));
    return scene;
  }

  async close(): Promise<void> {
    await discard(this.#program);
    await removeFolder(this.#folder);
  }

  /**
   * Changes every deployment twice, kills the program at this point of whichever revision comes there first,
   * and starts it again.
   */
  async kill(point: string, { all, ...kill }: Kill): Promise<Recovery> {
    const killed = this.#program;
    const family = await familyOf(killed);
    await writeFile(this.#order, JSON.stringify({ point, ...kill } satisfies Order));
    const changing = Promise.all(this.#served.map((one) => change(one, () => this.#program)));
    const isDead = () => killed.process.signalCode === 'SIGKILL';
    await until(isDead, {
      timeoutMs: STUCK_MS,
      what: `the kill at: ${point}\n${killed.output().slice(-2_000)}`,
    });
    const killedAt = performance.now();
    if (all) for (const { pid } of [...family, ...(await killed.alive())]) killHard(pid);
    this.#program = await start(this.#order, killed.dataFolder);
    const following = new AbortController();
    const answers = this.#served.map((one) => follow(one, killedAt, following.signal));
    const revisions = await changing;
    const problems = await Promise.all(
      this.#served.map((one, index) => this.#problems(one, revisions[index] ?? [])),
    );
    const deployedMs = performance.now() - killedAt;
    await Promise.all(
      this.#served.map((one) => until(() => isServed(one), { timeoutMs: STUCK_MS, what: `v${one.version}` })),
    );
    following.abort();
    const heard = await Promise.all(answers);
    const servesAgainMs = Math.max(...heard.map(({ servedMs = Number.NaN }) => servedMs));
    return {
      servesAgainMs,
      deployedMs,
      problems: [...problems.flat(), ...heard.flatMap((one, index) => wrongIn(one, this.#served[index]))],
    };
  }

  /** Waits until the revisions have ended, and says what is wrong with how. */
  async #problems({ deployment }: Served, ids: string[]): Promise<string[]> {
    const ended: ShownRevision[] = [];
    for (const id of ids)
      ended.push(await revisionUntil(this.#program, deployment.id, id, isTerminal, STUCK_MS));
    const failed = ended.filter(({ status }) => status !== 'DEPLOYED');
    const [first, second] = ended;
    if (first === undefined || second === undefined) return ['a revision is missing'];
    const overlaps = begunAt(second) < endedAt(first);
    return [
      ...failed.map(({ id, status, status_message: message }) => `${id} ended ${status}: ${message}`),
      ...(overlaps ? [`${second.id} began before ${first.id} had ended`] : []),
      ...(first.id < second.id ? [] : ['one request made two revisions']),
    ];
  }
}

const start = (order: string, dataFolder?: string): Promise<Program> =>
  startProgram({
    ...(dataFolder !== undefined && { dataFolder }),
    environment: {
      SLIPWAY_DRAIN_SECONDS: '0.2',
      KILL_ORDER: order,
      NODE_OPTIONS: `--import=${new URL('kill-at.ts', import.meta.url).href}`,
    },
  });

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}

/** When a revision left the queue, and when it ended: ISO times, which sort as they are. */
const begunAt = ({ status_history: history }: ShownRevision): string =>
  history.find(({ status }) => status !== 'CREATING' && status !== 'QUEUED')?.at ?? '';
const endedAt = ({ status_history: history }: ShownRevision): string => history.at(-1)?.at ?? '';

/** First what served before, then what is new, and no failure once it had answered. */
function wrongIn({ versions, failures }: Answers, { version = 0 }: Partial<Served> = {}): string[] {
  const isInOrder = versions.every(
    (seen, index) => seen >= version - 1 && seen >= (versions[index - 1] ?? 0),
  );
  return [...failures, ...(isInOrder ? [] : [`the address answered with versions ${versions.join(', ')}`])];
}
