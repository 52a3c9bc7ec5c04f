import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { gitRepositoryIn, type TestRepository } from '../support/files/git-repository.ts';
import { newFolder, removeFolder } from '../support/files/temporary-folder.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  create,
  deployed,
  discard,
  familyOf,
  helloFrom,
  type Program,
  revisionUntil,
  type ShownDeployment,
  type ShownRevision,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import type { Order } from './points.ts';

/** npm, in front of each build, would take longer than all else. */
const build_command = 'sh build.sh';
const filesOf = (version: number) => helloFiles(`v${version}`, { 'build.sh': '' });

/** A deployment that serves version after version, while the program is killed under it. */
type Served = { repository: TestRepository; deployment: ShownDeployment; version: number };

async function serve(program: Program, folder: string, name: string): Promise<Served> {
  const repository = await gitRepositoryIn(await newFolder(folder), await filesOf(1));
  const made = await create(program, name, repository.url, {
    source_config: { repo_url: repository.url, build_command },
  });
  return { repository, deployment: await deployed(program, made), version: 1 };
}

/**
 * Commits the next version and asks for two revisions of it. The program may die meanwhile: each request is
 * repeated under its key until it is answered by whichever program runs then. Gives the revisions in their
 * order.
 */
async function change(served: Served, program: () => Program): Promise<[string, string]> {
  served.version += 1;
  await served.repository.commit(await filesOf(served.version));
  return [await patchSurely(served, program), await patchSurely(served, program)];
}

async function patchSurely({ deployment }: Served, program: () => Program): Promise<string> {
  const key = crypto.randomUUID();
  for (;;) {
    const { baseUrl, apiKey } = program();
    const answer = await fetch(`${baseUrl}/v2/deployments/${deployment.id}`, {
      method: 'PATCH',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ source_revision_config: { repo_ref: 'main' } }),
    }).catch(() => undefined);
    if (answer?.status === 200) {
      const shown = (await answer.json()) as ShownDeployment; // the API's own
      return shown.latest_revision_id;
    }
    if (answer !== undefined) throw new Error(`PATCH answered ${answer.status}: ${await answer.text()}`);
    await delay(50);
  }
}

/** What a deployment's address answered since a program came back. */
type Answers = { servedMs: number | undefined; versions: number[]; failures: string[] };

/** Whether a deployment's newest version is what its address answers with. */
const isServed = async ({ deployment, version }: Served): Promise<boolean> =>
  (await helloFrom(deployment)).version === `v${version}`;

/**
 * Asks a deployment's address over and over until `signal`; from its first answer on none may fail. Times
 * since `startedAt`.
 */
async function follow({ deployment }: Served, startedAt: number, signal: AbortSignal): Promise<Answers> {
  const answers: Answers = { servedMs: undefined, versions: [], failures: [] };
  while (!signal.aborted) {
    try {
      const version = Number((await helloFrom(deployment)).version.slice(1));
      answers.servedMs ??= performance.now() - startedAt;
      if (answers.versions.at(-1) !== version) answers.versions.push(version);
    } catch (error) {
      if (answers.servedMs !== undefined) answers.failures.push(String(error));
    }
    await delay(100);
  }
  return answers;
}

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
