import type { Server } from 'node:net';
import { closedBy } from './closed-paths.ts';
import type { Order, RouteState, ServerTarget, Told, TrafficCounts } from './messages.ts';
import { Proxy } from './proxy.ts';
import { ProxyTarget } from './target.ts';
import { Traffic } from './traffic.ts';

/** What is counted is told so often at most: so much of it a crash loses. */
const TELL_MILLISECONDS = 1000;

/** Carries out what the listener says, in the process that does nothing else. */
export class Orders {
  readonly #tell: (told: Told) => void;
  readonly #targets = new Map<string, ProxyTarget>();
  readonly #traffics = new Map<string, Traffic>();
  #proxy: Proxy | undefined;
  #isTelling = false;

  /** `tell` hears what was counted, and what is said of orders. */
  constructor(tell: (told: Told) => void) {
    this.#tell = tell;
  }

  /** What listens, to be handed to the process that comes after this one. */
  get server(): Server | undefined {
    return this.#proxy?.server;
  }

  /** `handle`: what listens already. Throws when the port is taken. */
  async carryOut(order: Order, handle?: unknown): Promise<Omit<Told, 'number'>> {
    if (order.kind === 'listen') {
      this.#proxy = new Proxy(order.options);
      return { port: await this.#proxy.listen(handle) };
    }
    if (order.kind === 'open') this.#proxy?.open();
    else if (order.kind === 'route') this.#put(order.route);
    else if (order.kind === 'remove') this.#proxy?.remove(order.name);
    else if (order.kind === 'drained') return { isDrained: await this.#drained(order) };
    else if (order.kind === 'leave') this.#leave(order.targetId);
    else if (order.kind === 'close') await this.#proxy?.close();
    return order.kind === 'counts' || order.kind === 'close' ? { counts: this.#counts(() => true) } : {};
  }

  #put({ name, customHost, customPath, traffic, target, reason, heldUntil }: RouteState): void {
    const route = this.#proxy?.route(name);
    if (route === undefined) return;
    route.setAddress({ customHost, customPath });
    route.traffic = traffic === undefined ? undefined : this.#traffic(traffic);
    const next = target === undefined ? undefined : this.#target(target);
    if (next === undefined) route.clear(reason, heldUntil);
    else if (route.target !== next) route.moveTo(next);
  }

  #target({ id, where, closed, traffic }: ServerTarget): ProxyTarget {
    const known = this.#targets.get(id) ?? new ProxyTarget(where, closedBy(closed));
    if (traffic !== undefined) known.traffic = this.#traffic(traffic);
    this.#targets.set(id, known);
    return known;
  }

  async #drained({ targetId, withinMilliseconds }: Extract<Order, { kind: 'drained' }>): Promise<boolean> {
    // One that this process does not know has no request of it.
    return (await this.#targets.get(targetId)?.drained(withinMilliseconds)) ?? true;
  }

  #leave(targetId: string): void {
    this.#targets.get(targetId)?.connections.closeFree();
    this.#targets.delete(targetId);
  }

  #traffic(name: string): Traffic {
    const known = this.#traffics.get(name) ?? new Traffic(() => this.#tellSoon());
    this.#traffics.set(name, known);
    return known;
  }

  #tellSoon(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setTimeout(() => {
      this.#isTelling = false;
      this.#tell({ counts: this.#counts(({ hasNews }) => hasNews) });
    }, TELL_MILLISECONDS);
  }

  /** What has been counted, as far as it is asked for. */
  #counts(isAsked: (traffic: Traffic) => boolean): TrafficCounts[] {
    const used = this.#proxy?.traffics() ?? new Set();
    const told: TrafficCounts[] = [];
    for (const [name, traffic] of this.#traffics) {
      if (!isAsked(traffic)) continue;
      told.push({ traffic: name, counts: traffic.take(), isIdle: traffic.isIdle });
      if (traffic.isIdle && !used.has(traffic)) this.#traffics.delete(name);
    }
    return told;
  }
}
