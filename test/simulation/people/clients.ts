import { ApiError } from '../../../lib/contract/errors.ts';
import type { Caller } from '../../../lib/core/caller.ts';
import {
  type Idempotency,
  IdempotencySlot,
  isBeingAnswered,
  quickerAnswer,
  type RecordedResponse,
} from '../../../lib/core/idempotency.ts';
import { watchesPk } from '../../../lib/core/items/push-watches.ts';
import { isUnavailable } from '../../../lib/core/unavailable.ts';
import { createDeployment } from '../../../lib/features/deployments/create.ts';
import { deleteDeployment } from '../../../lib/features/deployments/delete.ts';
import { patchDeployment } from '../../../lib/features/deployments/patch.ts';
import { redeployRevision } from '../../../lib/features/deployments/redeploy.ts';
import { considerHead } from '../../../lib/features/pushes/consider.ts';
import { interruptRevision } from '../../../lib/features/revisions/interrupt.ts';
import type { SimulatedDeps } from '../deps.ts';
import { SECOND } from '../faults.ts';
import type { Ground } from '../ground.ts';
import { BrokenPort, Ended, NotStarted } from '../invocation.ts';
import type { Api } from './listener.ts';

type Shown = { id: string; latest_revision_id: string };
type Asked = { deployments: number; acts: number; listenerId: string };

/** People who create, change, interrupt and delete, at once and in any order. */
export class Clients {
  readonly #ground: Ground;
  readonly #api: Api;
  readonly #caller: Caller;
  /** Ids of revisions that an answer has named, by deployment. */
  readonly revisions = new Map<string, string[]>();
  #keys = 0;
  #names = 0;
  #open = 0;

  constructor(ground: Ground, api: Api, caller: Caller) {
    this.#ground = ground;
    this.#api = api;
    this.#caller = caller;
  }

  get areDone(): boolean {
    return this.#open === 0;
  }

  /** Creates deployments, then does so many things with them. */
  async act({ deployments, acts, listenerId }: Asked, until: number): Promise<void> {
    const { random, time } = this.#ground;
    this.#open += 1;
    await Promise.all(Array.from({ length: deployments }, () => this.#create(listenerId)));
    for (let n = 0; n < acts && time.now < until; n++) {
      await time.wait((random.chance(0.3) ? random.between(0, 0.3) : random.between(0, 60)) * SECOND);
      const id = random.pick([...this.revisions.keys()]);
      if (id !== undefined) this.#spawn(this.#actOn(id));
    }
    this.#open -= 1;
  }

  /** Does something with a deployment, mostly what must not go together with what happens to it. */
  strike(id: string, revisionId: string): void {
    if (!this.revisions.has(id)) return;
    this.#spawn(this.#ground.random.chance(0.8) ? this.#interrupt(id, revisionId) : this.#actOn(id));
  }

  /** A new revision of every deployment at the same time. */
  async patchAll(): Promise<void> {
    await Promise.all([...this.revisions.keys()].map((id) => this.#patch(id)));
  }

  #spawn(work: Promise<void>): void {
    this.#open += 1;
    void work.finally(() => {
      this.#open -= 1;
    });
  }

  async #actOn(id: string): Promise<void> {
    const { random } = this.#ground;
    const dice = random.next();
    if (dice < 0.45) return this.#patch(id);
    if (dice < 0.55) return this.#redeploy(id);
    if (dice < 0.7) return this.#push(id);
    if (dice < 0.92) return this.#interruptAny(id);
    return this.#delete(id);
  }

  async #create(listenerId: string): Promise<void> {
    const repository = { repo_url: 'https://git.test/repo.git', build_on_push: true };
    const body = {
      name: `agent-${++this.#names}`,
      source_config: { ...repository, listener_id: listenerId },
      source_revision_config: { repo_ref: 'main' },
    };
    const made = await this.#keyed('create', (deps) => createDeployment(deps, { body }, this.#caller));
    if (made === undefined) return;
    this.revisions.set(made.id, []);
    this.#note(made.id, made);
  }

  async #patch(id: string): Promise<void> {
    const { random } = this.#ground;
    const body = random.chance(0.8)
      ? { source_revision_config: { repo_ref: `branch-${random.whole(1, 1e9)}` } }
      : { source_config: this.#settings() };
    const request = { params: { deployment_id: id }, body, headers: {} };
    this.#note(id, await this.#keyed('patch', (deps) => patchDeployment(deps, request, this.#caller)));
  }

  /** What makes a revision that is built anew, or takes over what was built. */
  #settings(): object {
    const { random } = this.#ground;
    const count = random.whole(1, 4);
    return (
      random.pick([
        { resource_spec: { cpu: count } },
        { start_command: `serve ${count}` },
        { start_command: '', health_check: { path: `/health/${count}`, timeout_seconds: count } },
        { root_directory: `apps/${count}`, build_env: [{ name: 'COUNT', value: String(count) }] },
        { build_secrets: [{ name: 'TOKEN', value: `token-${count}` }] },
        { root_directory: '', build_env: [], build_secrets: [] },
      ]) ?? {}
    );
  }

  async #redeploy(id: string): Promise<void> {
    const revisionId = this.#ground.random.pick(this.revisions.get(id) ?? []);
    if (revisionId === undefined) return;
    const request = { params: { deployment_id: id, revision_id: revisionId }, query: {}, headers: {} };
    const made = await this.#keyed('redeploy', (deps) => redeployRevision(deps, request, this.#caller));
    if (made !== undefined) this.#ground.facts.runsAgain.set(made.latest_revision_id, revisionId);
    this.#note(id, made);
  }

  /** Some pushes; each delivery is handled when it comes: out of order, twice, or not at all. */
  async #push(id: string): Promise<void> {
    const { facts, random, time } = this.#ground;
    const owner = { tenantId: this.#caller.tenantId, deploymentId: id };
    const cause = { kind: 'push', delivery_id: 'a delivery' } as const;
    const toldOf = { cause, said: new Map(), beside: () => [] };
    const push = async (): Promise<void> => {
      await time.wait(random.between(0, 2) * SECOND);
      facts.pushes += 1;
      if (random.chance(0.1)) return;
      await time.wait(random.between(0, 1) * SECOND);
      await this.#ask('push', async (deps) => {
        const place = watchesPk(owner.tenantId, 'git.test/repo');
        return considerHead(deps, owner, place, async () => toldOf);
      });
    };
    await Promise.all(Array.from({ length: random.whole(1, 6) }, push));
  }

  #interruptAny(id: string): Promise<void> {
    const { random } = this.#ground;
    const known = this.revisions.get(id) ?? [];
    const revisionId = random.chance(0.6) ? known.at(-1) : random.pick(known);
    return revisionId === undefined ? Promise.resolve() : this.#interrupt(id, revisionId);
  }

  async #interrupt(id: string, revisionId: string): Promise<void> {
    const { facts } = this.#ground;
    const request = { params: { deployment_id: id, revision_id: revisionId } };
    const run = async (deps: SimulatedDeps) => {
      const shown = await interruptRevision(deps, request, this.#caller);
      facts.interrupted.add(revisionId);
      return shown;
    };
    await this.#ask('interrupt', run);
  }

  async #delete(id: string): Promise<void> {
    const { faults, facts, random, time } = this.#ground;
    const ask = (force: boolean) =>
      this.#ask(force ? 'force' : 'delete', async (deps) => {
        const request = { params: { deployment_id: id }, query: { force }, headers: {} };
        await deleteDeployment(deps, request, this.#caller);
        (force ? facts.forced : facts.deleted).add(id);
        return true;
      });
    facts.mayBeDeleted.add(id);
    const marked = await ask(false);
    if (marked !== true || !faults.chance(0.3)) return;
    await time.wait(random.between(0, 200) * SECOND);
    await ask(true);
  }

  #note(id: string, shown: Shown | undefined): void {
    if (shown === undefined) return;
    this.#ground.facts.acknowledged.set(shown.latest_revision_id, id);
    const known = this.revisions.get(id);
    if (known?.includes(shown.latest_revision_id) === false) known.push(shown.latest_revision_id);
  }

  /** Asks under a key half of the time: then whatever is asked again gets the first answer. */
  #keyed(name: string, run: (deps: SimulatedDeps) => Promise<Shown>): Promise<Shown | undefined> {
    if (this.#ground.random.chance(0.5)) return this.#ask(name, run);
    const key = `key-${++this.#keys}`;
    return this.#ask(name, async (deps) => {
      const answer = await this.#underKey(deps, { name, key }, run);
      const before = this.#ground.facts.byKey.get(key);
      if (before !== undefined && before !== answer.latest_revision_id)
        this.#ground.violate(
          `one ${name} under one key made two revisions: ${before}, ${answer.latest_revision_id}`,
        );
      this.#ground.facts.byKey.set(key, answer.latest_revision_id);
      return answer;
    });
  }

  /** As lib/http/idempotency.ts does it, without HTTP. */
  async #underKey(
    deps: SimulatedDeps,
    { name, key }: { name: string; key: string },
    run: (deps: SimulatedDeps) => Promise<Shown>,
  ): Promise<Shown> {
    const place = new IdempotencySlot(deps, this.#caller, { method: 'POST', path: name, key });
    const found = await place.find();
    if (found !== undefined) return shownIn(found);
    const idempotency: Idempotency = { record: (output) => [place.write(keptOf(output as Shown))] };
    try {
      return await run({ ...deps, idempotency });
    } catch (error) {
      const quicker = quickerAnswer(error) ?? (isBeingAnswered(error) ? await place.wait() : undefined);
      if (quicker === undefined) throw error;
      return shownIn(quicker);
    }
  }

  /** Asks up to three times; undefined: it was refused, or nobody answered. */
  async #ask<T>(name: string, run: (deps: SimulatedDeps) => Promise<T>): Promise<T | undefined> {
    const { faults, random, time, violate } = this.#ground;
    for (let n = 0; n < 3; n++) {
      try {
        const answers = [this.#api(name, run)];
        // A client that is impatient asks twice at once.
        if (faults.chance(0.03)) answers.push(this.#api(`${name} again`, run));
        for (const late of answers.slice(1)) late.catch(() => undefined);
        const answer = await answers[0];
        if (!faults.chance(0.02)) return answer;
      } catch (error) {
        if (!isLost(error) && !(error instanceof ApiError))
          violate(`${name} fails: ${String(error instanceof Error ? error.stack : error)}`);
        if (error instanceof ApiError && error.status < 500) return undefined;
      }
      await time.wait(random.between(0, 3) * SECOND);
    }
    return undefined;
  }
}

const LOSSES = [Ended, NotStarted, BrokenPort] as const;

/** Whether the client sees only that something failed, with a status that says to ask again. */
const isLost = (error: unknown): boolean =>
  isUnavailable(error) || LOSSES.some((loss) => error instanceof loss);

const keptOf = (shown: Shown): RecordedResponse => ({
  request_hash: 'the same',
  status: 200,
  headers: {},
  body: new TextEncoder().encode(
    JSON.stringify({ id: shown.id, latest_revision_id: shown.latest_revision_id }),
  ),
});

const shownIn = ({ body }: RecordedResponse): Shown => JSON.parse(new TextDecoder().decode(body)) as Shown;
