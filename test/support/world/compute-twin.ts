import { portErrorOf } from '../../../lib/compute/ecs/clients.ts';
import type { Agent, ManagedCompute, NewServers } from '../../../lib/compute/managed.ts';
import { ComputeBusy, type Found, type FoundSet, type SetNote } from '../../../lib/compute/port.ts';
import type { DeploymentRef } from '../../../lib/contract/refs.ts';
import type { AgentFailure } from '../../../lib/domain/agent-failure.ts';
import { allTo, mainOf } from '../../../lib/domain/rollout.ts';

/** What a set consists of, in the order in which it is made. */
const PARTS = ['secret', 'definition', 'target', 'trial rule', 'service', 'scaling'] as const;
type Part = (typeof PARTS)[number];

type TwinSet = {
  made: Set<Part>;
  of: NewServers;
  wanted: number;
  ready: number;
  served: boolean;
  revisionId: string;
  startedFor: string;
  retiredAt: number | undefined;
  isLeaving: boolean;
};

type TwinDeployment = { sets: Map<string, TwinSet>; traffic: string | undefined };

/** How the servers of an image do; `ready`: after so many looks. */
export type Script = { ready: number } | { failure: AgentFailure };

/**
 * Compute in memory, with the calls that Fargate needs: `called` hears of each after it was made, and may
 * throw, as a process dies between two. What is scripted says how servers do.
 */
export class ComputeTwin {
  readonly deployments = new Map<string, TwinDeployment>();
  readonly calls: string[] = [];
  /** Moments at which requests would have failed that had an answer before. */
  readonly gaps: string[] = [];
  called: (call: string, place: DeploymentRef) => void | Promise<void> = () => undefined;
  /** So many sets find room behind the balancer. */
  setsMax = Number.POSITIVE_INFINITY;
  /** By image; others are ready at the next look. */
  readonly scripts = new Map<string, Script>();

  /** As the driver has it: the calls of one deployment. */
  readonly of: ManagedCompute = (agent: Agent) => ({
    look: () => this.look(agent),
    failureOf: (key) => this.failureOf(agent, key),
    create: async (set, say) => {
      await this.create(agent, set);
      await say(`made ${set.key}`);
    },
    scale: (key, wanted) => this.scale(agent, key, wanted),
    revive: (key, wanted, note) => this.revive(agent, key, wanted, note),
    move: (to, note) => this.move(agent, mainOf(to) ?? '', note),
    retire: (key, at) => this.retire(agent, key, at),
    remove: (key) => this.remove(agent, key),
    stopTraffic: () => this.stopTraffic(agent),
    quotas: () => this.quotas(),
    address: () => this.address(agent),
  });

  #of({ deploymentId }: DeploymentRef): TwinDeployment {
    const known = this.deployments.get(deploymentId) ?? {
      sets: new Map(),
      traffic: undefined,
      rest: new Set(),
    };
    this.deployments.set(deploymentId, known);
    return known;
  }

  /** Makes one call, and says when it leaves requests without an answer. */
  async #call(place: DeploymentRef, name: string, effect: () => void): Promise<void> {
    const before = this.answers(place);
    effect();
    this.calls.push(name);
    if (before && !this.answers(place) && !this.isRemoving) this.gaps.push(name);
    await this.called(name, place);
  }

  /** Servers that leave are still there so many times when they are asked for. */
  endsAfter = 0;
  /** From now on nothing need answer any more. */
  isRemoving = false;

  answers(place: DeploymentRef): boolean {
    const { traffic, sets } = this.#of(place);
    return traffic !== undefined && (sets.get(traffic)?.ready ?? 0) > 0;
  }

  /** The image that answers requests. */
  serving({ deploymentId }: Pick<DeploymentRef, 'deploymentId'>): string | undefined {
    const known = this.deployments.get(deploymentId);
    return known?.traffic === undefined ? undefined : known.sets.get(known.traffic)?.of.image;
  }

  /** Nothing is left of it. */
  isEmpty({ deploymentId }: Pick<DeploymentRef, 'deploymentId'>): boolean {
    const { sets, traffic } = this.deployments.get(deploymentId) ?? this.#of({ tenantId: '', deploymentId });
    return sets.size === 0 && traffic === undefined;
  }

  /** As if somebody had deleted the service by hand. */
  loseServers({ deploymentId }: Pick<DeploymentRef, 'deploymentId'>): void {
    for (const set of this.deployments.get(deploymentId)?.sets.values() ?? []) {
      set.made.delete('service');
      set.ready = 0;
      this.#looks.delete(set);
    }
  }

  async look(place: DeploymentRef): Promise<Found> {
    const { sets, traffic } = this.#of(place);
    await this.#call(place, 'look', () => {
      for (const set of sets.values()) this.#progress(set);
    });
    const found = [...sets].map(([key, set]): FoundSet => {
      const { wanted, ready, served, retiredAt, revisionId, startedFor, isLeaving } = set;
      return {
        key,
        wanted,
        ready,
        served,
        retiredAt,
        revisionId,
        startedFor,
        isLeaving,
        isWhole: set.made.has('service'),
      };
    });
    return { sets: found, traffic: traffic === undefined ? [] : allTo(traffic), inUse: this.#inUse() };
  }

  /** Each set has a target group with a rule to try it by, and each deployment with traffic a rule more. */
  #inUse() {
    const all = [...this.deployments.values()];
    const targetGroups = all.reduce((sum, { sets }) => sum + sets.size, 0);
    const rules = targetGroups + all.filter(({ traffic }) => traffic !== undefined).length;
    return { targetGroups, rules };
  }

  /** How often it was asked for quotas. */
  quotasAsked = 0;
  async quotas() {
    this.quotasAsked += 1;
    return { targetGroups: 100, rules: 100 };
  }

  readonly #looks = new WeakMap<TwinSet, number>();

  #progress(set: TwinSet): void {
    const script = this.scripts.get(set.of.image) ?? { ready: 1 };
    const looks = (this.#looks.get(set) ?? 0) + 1;
    this.#looks.set(set, looks);
    if (set.isLeaving || !set.made.has('service') || 'failure' in script) return;
    if (looks >= script.ready) set.ready = set.wanted;
  }

  async failureOf(place: DeploymentRef, key: string): Promise<AgentFailure | undefined> {
    const set = this.#of(place).sets.get(key);
    const script = set && this.scripts.get(set.of.image);
    await this.#call(place, 'failureOf', () => undefined);
    return script !== undefined && 'failure' in script ? script.failure : undefined;
  }

  async create(place: DeploymentRef, asked: NewServers): Promise<void> {
    const known = this.#of(place);
    const { key, wanted, served, revisionId } = asked;
    if (known.sets.get(key)?.isLeaving) throw new ComputeBusy(`The set ${key} still ends its servers.`);
    for (const part of PARTS) {
      const set = known.sets.get(key);
      if (set?.made.has(part)) continue;
      if (part === 'trial rule') this.#findRoom();
      await this.#call(place, `create ${part}`, () => {
        const fresh = { made: new Set<Part>(), of: asked, wanted, ready: 0, served, revisionId };
        const made: TwinSet = set ?? {
          ...fresh,
          startedFor: revisionId,
          retiredAt: undefined,
          isLeaving: false,
        };
        made.made.add(part);
        if (part === 'service') made.startedFor = revisionId;
        known.sets.set(key, made);
      });
    }
  }

  /** As the balancer, in the words of the adapter. */
  #findRoom(): void {
    const sets = [...this.deployments.values()].flatMap((each) => [...each.sets.values()]);
    if (sets.filter(({ made }) => made.has('trial rule')).length < this.setsMax) return;
    const full = new Error('You have reached the maximum number of unique target groups');
    throw portErrorOf(Object.assign(full, { name: 'TooManyUniqueTargetGroupsPerLoadBalancerException' }));
  }

  scale(place: DeploymentRef, key: string, wanted: number): Promise<void> {
    return this.#change(place, 'scale', key, (set) => {
      set.wanted = wanted;
      set.ready = Math.min(set.ready, wanted);
    });
  }

  async revive(place: DeploymentRef, key: string, wanted: number, note: SetNote): Promise<void> {
    await this.#change(place, 'note revival', key, (set) => {
      set.retiredAt = undefined;
      set.revisionId = note.revisionId ?? set.revisionId;
    });
    await this.scale(place, key, wanted);
  }

  async move(place: DeploymentRef, key: string, note: SetNote): Promise<void> {
    await this.#change(place, 'note served', key, (set) => {
      set.served = true;
      set.revisionId = note.revisionId ?? set.revisionId;
    });
    await this.#call(place, 'move traffic', () => {
      this.#of(place).traffic = key;
    });
  }

  retire(place: DeploymentRef, key: string, at: number): Promise<void> {
    return this.#change(place, 'retire', key, (set) => {
      set.retiredAt = at;
    });
  }

  /** First its servers end, then it goes. */
  async remove(place: DeploymentRef, key: string): Promise<'done' | 'later'> {
    const { sets } = this.#of(place);
    const set = sets.get(key);
    if (set === undefined) return 'done';
    if (set.isLeaving && this.endsAfter > 0) {
      this.endsAfter -= 1;
      return 'later';
    }
    if (set.isLeaving || !set.made.has('service')) {
      await this.#call(place, 'delete set', () => sets.delete(key));
      return 'done';
    }
    await this.#change(place, 'end servers', key, (ending) => {
      ending.isLeaving = true;
      ending.ready = 0;
    });
    return 'later';
  }

  stopTraffic(place: DeploymentRef): Promise<void> {
    return this.#call(place, 'stop traffic', () => {
      this.#of(place).traffic = undefined;
    });
  }

  address({ name }: { name: string }): string {
    return `https://agents.example.com/d/${name}`;
  }

  async #change(
    place: DeploymentRef,
    name: string,
    key: string,
    effect: (set: TwinSet) => void,
  ): Promise<void> {
    const set = this.#of(place).sets.get(key);
    await this.#call(place, name, () => {
      if (set !== undefined) effect(set);
    });
  }
}
