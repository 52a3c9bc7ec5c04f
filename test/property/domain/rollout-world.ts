import type { AgentFailure } from '../../../lib/domain/agent-failure.ts';
import {
  allTo,
  type Goal,
  mainOf,
  type Seen,
  type Step,
  type Task,
  type TaskOutcome,
} from '../../../lib/domain/rollout.ts';
import { type Event, type Fate, goalOf, type Story } from './rollout-stories.ts';

/** A set with what only the world knows of it: since when it has no traffic any more. */
type Instance = Seen['sets'][number] & { hadTraffic: boolean; leftAt: number };

/** A task as the control plane has it. */
export type Offer = {
  id: number;
  goal: Goal;
  deadlineAt: number;
  interrupted: boolean;
  /** It was answered that traffic may move. */
  switching: boolean;
};

/** What the decider knows beside what it sees; a kill loses it. Undefined: it has no task in hand. */
type Memory =
  | { offer: Offer; grant: NonNullable<Task>['grant']; reported: TaskOutcome | undefined }
  | undefined;

const TIMEOUT_SECONDS = 600;
const WAITING_MAX = 2;

const looping: AgentFailure = { kind: 'exited', exitCode: 1, times: 4, output: ['boom'] };
const crowded: AgentFailure = { kind: 'no_capacity', cpu: 2, memoryMb: 4096, said: '0/3 nodes' };

/** Compute, the control plane and the memory of a decider, as far as the rule can tell one from another. */
export class World {
  now = 1_000_000;
  readonly sets = new Map<string, Instance>();
  traffic: string | undefined;
  memory: Memory;
  offer: Offer | undefined;
  /** What the control plane says shall run when no task is in hand. */
  active: Goal = 'nothing';
  /** From which set a task has moved the traffic to its goal. */
  readonly movedFrom = new Map<number, string>();
  readonly #outcomes = new Map<number, TaskOutcome>();
  #waiting: Goal[] = [];
  #ids = 0;

  constructor({ start }: Story) {
    if (start === undefined) return;
    const { key, servers, stray } = start;
    this.active = goalOf(key);
    this.sets.set(key, { ...newSet(key, servers), ready: servers, served: true, hadTraffic: true });
    this.traffic = key;
    if (stray) this.sets.set('b', { ...newSet('b', 2), ready: 2 });
  }

  get isIdle(): boolean {
    return this.memory === undefined && this.offer === undefined && this.#waiting.length === 0;
  }

  get seen(): Seen {
    return {
      traffic: this.traffic === undefined ? [] : allTo(this.traffic),
      sets: [...this.sets.values()].map(({ hadTraffic: _, leftAt: __, ...set }) => ({ ...set })),
    };
  }

  get goal(): Goal {
    return this.memory?.offer.goal ?? this.active;
  }

  get task(): Task {
    if (this.memory === undefined) return undefined;
    const { grant, reported, offer } = this.memory;
    return { grant, reported, deadlineAt: offer.deadlineAt, timeoutSeconds: TIMEOUT_SECONDS };
  }

  happen(event: Event): void {
    switch (event.do) {
      case 'deploy':
        return this.#deploy(goalOf(event.key));
      case 'redeploy':
        return this.#deploy(this.active);
      case 'delete':
        this.#waiting = ['nothing'];
        return;
      case 'pass':
        this.now += event.milliseconds;
        return;
      case 'route':
        return this.#routeByHand([...this.sets.values()][event.nth]);
      case 'grow':
        return this.#scaleServing((servers) => servers + 2);
      case 'shrink':
        return this.#scaleServing(() => 1);
      case 'claim':
        return this.claim();
      case 'heartbeat':
        return this.#heartbeat();
      case 'interrupt':
        return this.#interrupt();
      case 'overtake':
        this.#fallSilent();
        return this.#interrupt();
      case 'silence':
        return this.#fallSilent();
      case 'lapse':
        // It has ended, and the decider has not heard of it.
        return this.#end('failed');
      default:
        return this.#befall(event.do, [...this.sets.values()][event.nth]);
    }
  }

  /** Gives the next task to a decider that has none or whose own has ended. */
  claim(): void {
    if (this.offer !== undefined) return;
    const goal = this.#waiting.shift();
    if (goal === undefined) return;
    this.#ids += 1;
    const deadlineAt = this.now + TIMEOUT_SECONDS * 1000;
    this.offer = { id: this.#ids, goal, deadlineAt, interrupted: false, switching: false };
    this.#restart();
  }

  /** Left alone, a set comes to what it is made for, bit by bit. Gives whether anything has changed. */
  settle(): boolean {
    return [...this.sets.values()].map((set) => this.#settle(set)).includes(true);
  }

  perform(step: Step, fate: Fate): void {
    if (fate === 'half' && step.do === 'move') this.#mark(mainOf(step.to) ?? '');
    if (fate === 'killed before' || fate === 'half') return this.#restart();
    this.#apply(step, fate === 'done');
    if (fate === 'killed after') this.#restart();
  }

  #apply(step: Step, isHeard: boolean): void {
    switch (step.do) {
      case 'create':
        return this.#make(step);
      case 'scale':
        return this.#change(step.key, { wanted: step.wanted });
      case 'revive':
        return this.#change(step.key, { wanted: step.wanted, retiredAt: undefined });
      case 'retire':
        return this.#change(step.key, { retiredAt: this.now });
      case 'remove':
        return void this.sets.delete(step.key);
      case 'stop_traffic':
        return this.#route(undefined);
      case 'move':
        return this.#move(mainOf(step.to) ?? '');
      case 'announce':
        return this.#announce(isHeard);
      case 'report':
        return this.#report(step.outcome, isHeard);
      case 'nothing':
        if (this.memory?.reported !== undefined) this.memory = undefined;
        return;
      case 'wait':
        return;
    }
  }

  /** The task that is open is claimed anew; nothing else is known. */
  #restart(): void {
    this.memory = this.offer && { offer: this.offer, grant: 'unasked', reported: undefined };
  }

  /** The lease has run out: the task is offered anew, and may be interrupted again. */
  #fallSilent(): void {
    if (this.offer !== undefined) this.offer.switching = false;
    this.#restart();
  }

  #interrupt(): void {
    if (this.offer !== undefined && !this.offer.switching) this.offer.interrupted = true;
  }

  #deploy(goal: Goal): void {
    if (this.#waiting.length >= WAITING_MAX || this.#waiting.includes('nothing')) return;
    if (goal !== 'nothing') this.#waiting.push(goal);
  }

  #announce(isHeard: boolean): void {
    const { memory, offer } = this;
    if (memory === undefined) throw new Error('announced without a task');
    if (memory.offer !== offer) {
      if (isHeard) this.memory = undefined;
      return;
    }
    if (!offer.interrupted) offer.switching = true;
    if (isHeard) memory.grant = offer.interrupted ? 'refused' : 'granted';
  }

  #heartbeat(): void {
    const { memory, offer } = this;
    if (memory === undefined) return;
    if (memory.offer !== offer) this.memory = undefined;
    else if (offer.interrupted) memory.grant = 'refused';
  }

  #report(outcome: TaskOutcome, isHeard: boolean): void {
    const { memory } = this;
    if (memory === undefined) throw new Error('reported without a task');
    if (memory.offer === this.offer) this.#end(outcome);
    if (!isHeard) return;
    if (this.#outcomes.get(memory.offer.id) === outcome) memory.reported = outcome;
    else this.memory = undefined;
  }

  #end(outcome: TaskOutcome): void {
    if (this.offer === undefined) return;
    if (outcome === 'succeeded') this.active = this.offer.goal;
    this.#outcomes.set(this.offer.id, outcome);
    this.offer = undefined;
  }

  #route(to: string | undefined): void {
    const { traffic } = this;
    const before = traffic === undefined ? undefined : this.sets.get(traffic);
    if (before !== undefined) before.leftAt = this.now;
    this.traffic = to;
    if (to !== undefined) this.#change(to, { hadTraffic: true });
  }

  #make({ key, wanted, served }: Extract<Step, { do: 'create' }>): void {
    this.sets.set(key, { ...newSet(key, wanted), served, hadTraffic: key === this.traffic });
  }

  /** Nobody can know of a set that a person gave traffic and took it from between two looks. */
  #routeByHand(to: Instance | undefined): void {
    const before = this.traffic === undefined ? undefined : this.sets.get(this.traffic);
    const leftAt = before?.leftAt;
    this.#route(to?.served === true ? to.key : undefined);
    // What a task has moved it from is no longer the only set that it may go back to.
    this.movedFrom.clear();
    if (before?.retiredAt !== undefined && leftAt !== undefined) this.#change(before.key, { leftAt });
  }

  #move(to: string): void {
    this.#mark(to);
    this.#noteMove(to);
    this.#route(to);
  }

  #noteMove(to: string): void {
    const { goal, traffic, memory } = this;
    const isToGoal = goal !== 'nothing' && to === goal.key;
    if (memory !== undefined && isToGoal && traffic !== undefined)
      this.movedFrom.set(memory.offer.id, traffic);
  }

  #mark(key: string): void {
    this.#change(key, { served: true });
  }

  #change(key: string, to: Partial<Instance>): void {
    const set = this.sets.get(key);
    if (set === undefined) throw new Error(`there is no set ${key}`);
    this.sets.set(key, { ...set, ...to });
  }

  #befall(fate: Extract<Event, { nth: number }>['do'], set: Instance | undefined): void {
    if (set === undefined) return;
    if (fate === 'settle') this.#settle(set);
    else if (fate === 'unready') this.#change(set.key, { ready: 0 });
    else if (fate === 'fail') this.#change(set.key, { ready: 0, failure: looping });
    else if (fate === 'crowd') this.#change(set.key, { failure: crowded });
    else this.sets.delete(set.key);
  }

  #scaleServing(to: (servers: number) => number): void {
    const set = this.traffic === undefined ? undefined : this.sets.get(this.traffic);
    if (set !== undefined) this.#change(set.key, { wanted: to(set.wanted), ready: to(set.wanted) });
  }

  #settle(set: Instance): boolean {
    const failure = set.key === 'never' ? crowded : undefined;
    const ready = failure === undefined ? Math.min(set.wanted, set.ready + 2) : 0;
    const changes = set.ready !== ready || set.failure !== failure;
    this.#change(set.key, { ready, failure });
    return changes;
  }
}

const newSet = (key: string, wanted: number): Instance => ({
  ...{ key, wanted, ready: 0, failure: undefined, served: false, retiredAt: undefined },
  ...{ hadTraffic: false, leftAt: 0 },
});
