import type { KubernetesObject } from '@kubernetes/client-node';
import { Refused } from './api-server.ts';
import type { Cluster } from './cluster.ts';
import { mendOne, stamped } from './mend.ts';
import { noted } from './noted.ts';
import { annotations } from './render/names.ts';
import { gatewayOf, type HTTPRoute, withoutTimeouts } from './render/route.ts';
import type { ObjectStore } from './store.ts';

/** A gateway's controller answers within a second or two; one that makes a load balancer first takes longer. */
const ANSWER_MILLISECONDS = 30_000;
/** By this reason a controller refuses a field that it knows and does not do. */
const UNSUPPORTED = 'UnsupportedValue';

const OWN_TIMEOUTS =
  'so the gateway ends long answers when it is set to (Envoy Gateway: after 15 s). Set its own timeouts.';
const OLD_SCHEMA = `The cluster's HTTPRoutes have no timeouts, ${OWN_TIMEOUTS} Gateway API 1.2 has them.`;

type Parts = { id: string; cluster: Cluster; store: ObjectStore };

/** Why a deployment is not reached from outside, and until when that may still be its controller's pace. */
export type Hindrance = { why: string; until: number };

type Condition = {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
};
type Parent = { parentRef?: { name?: string; namespace?: string }; conditions?: Condition[] };
type LiveRoute = KubernetesObject & { status?: { parents?: Parent[] } };

export const isHttpRoute = (object: KubernetesObject): object is HTTPRoute => object.kind === 'HTTPRoute';

/** The HTTPRoute of one deployment: brought as far as the cluster and its gateway take it. */
export class WayIn {
  readonly #parts: Parts;
  #wanted: HTTPRoute | undefined;
  #schemaIsOld = false;
  /** When it was changed last, as far as this program knows. */
  #changedAt = 0;
  #notes: string[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A task begins: the cluster may have been given a newer Gateway API since the last one. */
  begin(): void {
    this.#schemaIsOld = false;
  }

  /** From now on there is none. */
  forget(): void {
    this.#wanted = undefined;
  }

  async bring(route: HTTPRoute): Promise<void> {
    this.#wanted = this.#asTaken(route);
    try {
      await this.#apply(this.#wanted);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!error.message.includes('timeouts')) throw explained(error);
      this.#schemaIsOld = true;
      this.#notes.push(OLD_SCHEMA);
      this.#wanted = withoutTimeouts(route);
      await this.#apply(this.#wanted);
    }
  }

  /** What is to be said of it in the deploy log, each once. */
  takeNotes(): string[] {
    const notes = this.#notes;
    this.#notes = [];
    return notes;
  }

  /** Undefined: it is accepted, or there is none. */
  hindrance(): Hindrance | undefined {
    const live = this.#live();
    if (live === undefined || this.#wanted === undefined) return undefined;
    const why = this.#problemOf(live, this.#wanted);
    if (why === undefined) return undefined;
    const createdAt = Date.parse(String(live.metadata?.creationTimestamp ?? ''));
    return { why, until: Math.max(createdAt || 0, this.#changedAt) + ANSWER_MILLISECONDS };
  }

  async #apply(route: HTTPRoute): Promise<void> {
    const { cluster, store, id } = this.#parts;
    if (await mendOne(cluster, store, id, stamped(route))) this.#changedAt = Date.now();
  }

  /** Without what the cluster or this very gateway has refused: which one is noted on the route. */
  #asTaken(route: HTTPRoute): HTTPRoute {
    if (this.#schemaIsOld) return withoutTimeouts(route);
    const live = this.#live();
    const gateway = gatewayOf(route);
    if (noted(live, annotations.timeoutsRefused) === gateway) return withoutTimeouts(route, gateway);
    const refusal = live && conditionsOf(live, route).find(isRefusal);
    if (refusal?.reason !== UNSUPPORTED) return route;
    this.#notes.push(
      `The Gateway '${gateway}' does not do the timeouts of HTTPRoutes (${wordsOf(refusal)}), ${OWN_TIMEOUTS}`,
    );
    return withoutTimeouts(route, gateway);
  }

  #live(): LiveRoute | undefined {
    const { store, id } = this.#parts;
    return store.everything(id).find(isHttpRoute);
  }

  #problemOf(live: LiveRoute, wanted: HTTPRoute): string | undefined {
    const [route, gateway] = [wanted.metadata?.name, gatewayOf(wanted)];
    const conditions = conditionsOf(live, wanted);
    const refusal = conditions.find(isRefusal);
    if (refusal !== undefined)
      return `The Gateway '${gateway}' does not take the HTTPRoute '${route}' (${wordsOf(refusal)}).`;
    if (conditions.some(({ type, status }) => type === 'Accepted' && status === 'True')) return undefined;
    return `Nobody has accepted the HTTPRoute '${route}' for the Gateway '${gateway}' so far. Look whether there is such a Gateway, and whether its controller runs.`;
  }
}

/** What controllers say of the route as it is now, as far as they speak for the wanted Gateway. */
function conditionsOf(live: LiveRoute, { spec, metadata }: HTTPRoute): Condition[] {
  const [wanted] = spec.parentRefs;
  const namespaceOf = (namespace: string | undefined) => namespace ?? metadata?.namespace;
  const generation = live.metadata?.generation ?? 0;
  return (live.status?.parents ?? [])
    .filter(
      ({ parentRef }) =>
        parentRef?.name === wanted?.name &&
        namespaceOf(parentRef?.namespace) === namespaceOf(wanted?.namespace),
    )
    .flatMap(({ conditions = [] }) => conditions)
    .filter(({ observedGeneration }) => (observedGeneration ?? generation) >= generation);
}

const isRefusal = ({ type, status }: Condition): boolean =>
  (type === 'Accepted' || type === 'ResolvedRefs') && status === 'False';

const wordsOf = ({ reason = 'no reason', message = '' }: Condition): string =>
  message === '' ? reason : `${reason}: ${message.trim().replaceAll(/\s+/g, ' ')}`;

/** What an API server says of HTTPRoutes in general names no way out. */
function explained({ code, message }: Refused): Refused {
  const ways: Record<number, string> = {
    403: 'With compute_config.gateway the listener has to be allowed to make HTTPRoutes: gatewayApi: true in its chart.',
    404: 'With compute_config.gateway the cluster needs the Gateway API: install its CRDs.',
  };
  return new Refused(code, [message, ways[code]].filter(Boolean).join(' '));
}
