import { putApiKey } from '../../lib/core/items/api-keys.ts';
import { createListener } from '../../lib/features/listeners/create.ts';
import { transact } from '../../lib/store/dynamodb/transact.ts';
import { aCaller } from '../support/world/caller.ts';
import { ControlPlane } from './control-plane.ts';
import { Facts } from './facts.ts';
import { Faults, HOUR, MINUTE, SECOND } from './faults.ts';
import type { Ground } from './ground.ts';
import type { Guards } from './guards.ts';
import { Invariants } from './invariants/invariants.ts';
import { unfinished } from './invariants/rest.ts';
import { Clients } from './people/clients.ts';
import { KEY_HASH } from './people/doorbell.ts';
import { SimulatedListener } from './people/listener.ts';
import { aPlan, type Plan } from './plan.ts';
import { Random } from './random.ts';
import { type Command, MemoryTable, type Outcome } from './table/memory-table.ts';
import { VirtualTime } from './virtual-time.ts';

export type Options = {
  /** Keep a line of what happens. */
  traces?: boolean;
  /** Run without the sweep. */
  withoutSweep?: boolean;
  /** Hears of the guards of all writes, and may leave some out. */
  guards?: Guards;
  /** Hears of each command to the table and of what came of it. */
  hears?: (command: Command, outcome: Outcome) => void;
  /** Frees the slot in a transaction of its own. */
  splitsEnds?: boolean;
};

/** How a run went. */
export type Result = {
  seed: number;
  /** The first promise that was broken. */
  violation: string | undefined;
  events: number;
  operations: number;
  /** Of virtual time. */
  seconds: number;
  /** Revisions by the status they ended with. */
  endings: Record<string, number>;
  counts: Record<string, number>;
  trace: string[];
};

/** Everything that is to end ends within so long after the last fault. */
const AT_REST_WITHIN_MILLISECONDS = 4 * HOUR;

/** One run: everything that happens in it follows from its seed. */
export class Simulation {
  readonly #seed: number;
  readonly #options: Options;
  readonly #time = new VirtualTime();
  readonly #table = new MemoryTable();
  readonly #ground: Ground;
  readonly #plan: Plan;
  readonly #trace: string[] = [];
  readonly #counts: Record<string, number> = {};
  #violation: string | undefined;
  readonly #running: SimulatedListener[] = [];
  #clients: Clients | undefined;
  #plane: ControlPlane | undefined;
  #ids = 0;

  constructor(seed: number, options: Options = {}) {
    this.#seed = seed;
    this.#options = options;
    const random = new Random(seed);
    const time = this.#time;
    this.#ground = {
      time,
      random,
      faults: new Faults(random, time),
      facts: new Facts(),
      say: (text) => {
        if (options.traces === true) this.#trace.push(`${time.seconds.toFixed(3).padStart(10)}  ${text()}`);
      },
      count: (what) => {
        this.#counts[what] = (this.#counts[what] ?? 0) + 1;
      },
      violate: (what) => {
        this.#violation ??= what;
      },
      aim: (deploymentId, revisionId) => this.#aim(deploymentId, revisionId),
      newId: () => this.#newId(),
    };
    this.#plan = aPlan(random);
    this.#table.onExecute = options.hears;
    this.#table.guards = options.guards;
  }

  async run(): Promise<Result> {
    const { faults } = this.#ground;
    const owners = new Map<string, string>();
    const plane = new ControlPlane(this.#ground, this.#table, (id) => owners.get(id), {
      isEmbedded: this.#plan.isEmbedded,
      sweeps: this.#options.withoutSweep !== true,
      guards: this.#options.guards,
      patienceSeconds: this.#plan.patienceSeconds,
      splitsEnds: this.#options.splitsEnds === true,
      isRung: this.#plan.isRung,
    });
    const invariants = new Invariants(this.#ground, this.#table, plane, this.#plan);
    this.#table.onCommit = (changes) => {
      for (const { after } of changes)
        if (after?.entity === 'revision') owners.set(String(after.id), String(after.deployment_id));
      invariants.onCommit(changes);
      plane.hear(changes);
    };
    const caller = aCaller({ tenantId: this.#newId() });
    const clients = new Clients(this.#ground, plane.api, caller);
    this.#clients = clients;
    this.#plane = plane;
    const begin = async () => {
      const body = {
        compute_type: 'process' as const,
        compute_id: 'machine',
        compute_config: { k8s_namespaces: [] },
      };
      const { id: listenerId } = await plane.api('a listener', (deps) =>
        createListener(deps, { body }, caller),
      );
      const key = {
        v: 4 as const,
        entity: 'api_key' as const,
        id: this.#newId(),
        organization_id: caller.organizationId,
        tenant_id: caller.tenantId,
        user_id: caller.userId,
        role: 'listener' as const,
        listener_id: listenerId,
        name: 'listener',
        hint: '',
        created_at: new Date(this.#time.now).toISOString(),
      };
      await plane.api('a key', (deps) => transact(deps.table, putApiKey(key, KEY_HASH, undefined)));
      faults.active = true;
      plane.startSweeping();
      const listeners = this.#listeners(plane, listenerId, caller);
      for (const listener of listeners) listener.start();
      this.#running.push(...listeners);
      void clients.act({ ...this.#plan, listenerId }, this.#time.now + this.#plan.faultyMilliseconds);
      this.#schedule(plane, clients, listeners);
    };
    void begin();
    await this.#time.run(this.#watch(clients, invariants));
    plane.stop();
    // Node keeps signals that somebody listens to until they fire.
    for (const listener of this.#running) listener.stop();
    return this.#result();
  }

  #listeners(
    plane: ControlPlane,
    listenerId: string,
    caller: ReturnType<typeof aCaller>,
  ): SimulatedListener[] {
    return Array.from({ length: this.#plan.listeners }, (_, n) => {
      const options = {
        instanceId: `instance-${n + 1}`,
        listenerId,
        caller,
        slow: this.#plan.isSlow,
        api: plane.api,
        table: this.#table,
        sockets: plane.sockets,
      };
      return new SimulatedListener(this.#ground, options);
    });
  }

  /** What the plan holds in store. */
  #schedule(plane: ControlPlane, clients: Clients, listeners: SimulatedListener[]): void {
    const { time, random, faults, facts } = this.#ground;
    for (const { at, what, milliseconds } of this.#plan.incidents) {
      time.after(at, () => {
        this.#ground.count(what);
        this.#ground.say(() => `${what}, ${Math.round(milliseconds / SECOND)} s`);
        const listener = random.pick(listeners);
        switch (what) {
          case 'outage':
            return plane.goDown(milliseconds);
          case 'kill':
            return plane.restart('killed', milliseconds);
          case 'orderly stop':
            return plane.restart('stopped', milliseconds);
          case 'listener restart':
            return listener?.restart(milliseconds);
          case 'listener freeze':
            return listener?.freeze(milliseconds);
          case 'mass redeploy':
            return void clients.patchAll();
          case 'broken port': {
            const ids = [...clients.revisions.keys()];
            faults.break(random.chance(0.7) ? random.pick(ids) : undefined);
            facts.noteBroken(faults.broken?.deploymentId);
            this.#ground.say(() => `broken: ${JSON.stringify(faults.broken)}`);
            return time.after(milliseconds, () => {
              faults.broken = undefined;
            });
          }
        }
      });
    }
    time.after(this.#plan.faultyMilliseconds, () => {
      this.#ground.say(() => 'no more faults');
      faults.active = false;
    });
  }

  /** Looks after each step whether a promise is broken, and whether everything is at rest. */
  #watch(clients: Clients, invariants: Invariants): () => boolean {
    const { time, faults, facts, violate } = this.#ground;
    let nextMinute = time.now + MINUTE;
    let calmSince: number | undefined;
    return () => {
      invariants.onStep();
      if (this.#violation !== undefined) return true;
      if (time.now < nextMinute) return false;
      nextMinute = time.now + MINUTE;
      invariants.onMinute();
      if (faults.active || faults.down || faults.broken !== undefined || !clients.areDone) return false;
      calmSince ??= time.now;
      const left = unfinished(this.#table, facts);
      if (left.length === 0) {
        invariants.atRest();
        return true;
      }
      if (time.now - calmSince > AT_REST_WITHIN_MILLISECONDS) violate(`not at rest: ${left.join('; ')}`);
      return this.#violation !== undefined;
    };
  }

  /** Within the time that a call takes. */
  #aim(deploymentId: string, revisionId: string): void {
    const { faults, random, time } = this.#ground;
    if (!faults.chance(0.2)) return;
    const dice = random.next();
    time.after(random.between(0, 40), () => {
      if (dice < 0.25) this.#plane?.sweepNow();
      else if (dice < 0.4) this.#abort(revisionId);
      else this.#clients?.strike(deploymentId, revisionId);
    });
  }

  /**
   * Ends the execution by hand, and has the sweep find that out about when a builder or a listener reports:
   * each has another outcome to record.
   */
  #abort(revisionId: string): void {
    const { random, time } = this.#ground;
    this.#plane?.executions.abortByHand(revisionId);
    for (let looks = 0; looks < 3; looks++)
      time.after(random.between(0.05, 2) * SECOND, () => this.#plane?.sweepNow());
  }

  #result(): Result {
    const endings: Record<string, number> = {};
    for (const partition of this.#table.partitions.values())
      for (const { entity, status } of partition.values())
        if (entity === 'revision') endings[String(status)] = (endings[String(status)] ?? 0) + 1;
    return {
      seed: this.#seed,
      violation: this.#violation,
      events: this.#time.events,
      operations: this.#table.operations,
      seconds: this.#time.seconds,
      endings,
      counts: this.#counts,
      trace: this.#trace,
    };
  }

  /** In the shape of a UUIDv7: the time, then a number; the last 32 bits are a revision's own. */
  #newId(): string {
    const time = this.#time.now.toString(16).replace(/\..*/, '').padStart(12, '0');
    const n = (++this.#ids).toString(16).padStart(10, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${n.slice(0, 3)}-8${n.slice(3, 6)}-${n.slice(6)}00000000`;
  }
}
