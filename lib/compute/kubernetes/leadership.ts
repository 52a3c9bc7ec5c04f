import type { V1Lease, V1LeaseSpec, V1MicroTime } from '@kubernetes/client-node';
import { messageOf, type Pause } from '../../listener/backoff.ts';
import type { Log } from '../../listener/log.ts';
import { type ApiServer, Overtaken, Refused } from './api-server.ts';

/** Another listener takes over when the leader has not renewed for so long. */
const LEASE_SECONDS = 15;
const RENEW_MILLISECONDS = 5_000;
/** A leader that could not renew begins nothing from then on, before another may begin. */
const GIVE_UP_MILLISECONDS = 10_000;

type Parts = {
  api: Pick<ApiServer, 'create' | 'read' | 'replace'>;
  namespace: string;
  listenerId: string;
  /** This program. */
  holder: string;
  log: Log;
  pause: Pause;
  /** In milliseconds, of a clock that nobody sets. */
  now: () => number;
  /** The cluster has said who leads. */
  answered?: () => void;
};

/**
 * Which of several programs works for a listener: the one that holds a Lease of the cluster. A Lease does not
 * fence; what moves traffic does (see Sets).
 */
export class Leadership {
  /** Resolves, with the reason, when this program leads no more. */
  readonly lost: Promise<string>;
  readonly #parts: Parts;
  readonly #ended = new AbortController();
  readonly #lose: (why: string) => void;
  #held: V1Lease | undefined;
  #ledBefore: Date | undefined;
  /** As `now()` has it: when the last renewal was sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.lost = promise;
    this.#lose = resolve;
  }

  /**
   * Resolves when this program leads, with what all who lead for the listener are called, one after the
   * other; undefined when it was ended before.
   */
  async lead(): Promise<string | undefined> {
    const { pause, now } = this.#parts;
    const { signal } = this.#ended;
    /** The lease as it was first seen in its state, and when: clocks of other machines do not count. */
    let seen: { version: string | undefined; at: number } | undefined;
    while (!signal.aborted) {
      const lease = await this.#tryToLead(seen).catch((error: unknown) => {
        this.#parts.log.warn(`cannot find out who leads: ${messageOf(error)}`);
        return undefined;
      });
      if (lease !== undefined && lease.spec?.holderIdentity === this.#parts.holder) {
        this.#held = lease;
        this.#renewedAt = now();
        void this.#renew();
        return lease.metadata?.uid;
      }
      const version = lease?.metadata?.resourceVersion;
      if (seen === undefined || version !== seen.version) seen = { version, at: now() };
      await pause(RENEW_MILLISECONDS / 2, signal);
    }
    return undefined;
  }

  /** No other program works yet. One that was frozen finds out here that its time is over. */
  leads(): boolean {
    return this.#parts.now() - this.#renewedAt < GIVE_UP_MILLISECONDS;
  }

  /** When the one that led before this program last said that it does; undefined: nobody has led. */
  get ledBefore(): Date | undefined {
    return this.#ledBefore;
  }

  /** Leads and tries to lead no more. */
  end(): void {
    this.#ended.abort();
  }

  /** Lets another begin at once. `ledUntil`: this program has worked until then, and left nothing undone. */
  async release(ledUntil?: Date): Promise<void> {
    if (this.#held === undefined) return;
    const { holderIdentity: _, ...last } = this.#held.spec ?? {};
    const spec = ledUntil === undefined ? last : { ...last, renewTime: microTime(ledUntil) };
    await this.#parts.api.replace({ ...this.#held, spec }).catch(() => undefined);
  }

  /** The lease, taken if it is free; otherwise as somebody else holds it. */
  async #tryToLead(
    seen: { version: string | undefined; at: number } | undefined,
  ): Promise<V1Lease | undefined> {
    const { api, now, answered } = this.#parts;
    const known = await api.read(this.#lease());
    answered?.();
    if (known === undefined) return api.create(this.#lease()).catch(unlessAnother);
    const isFree = known.spec?.holderIdentity === undefined;
    const isStale =
      seen !== undefined &&
      seen.version === known.metadata?.resourceVersion &&
      now() - seen.at > LEASE_SECONDS * 1000;
    if (!isFree && !isStale) return known;
    // On the wire a time is a text.
    this.#ledBefore = known.spec?.renewTime && new Date(known.spec.renewTime);
    return api.replace({ ...known, spec: this.#lease().spec }).catch(unlessAnother);
  }

  /**
   * Whose time is over asks once more: a machine that was busy for a while is no reason to begin anew where
   * nobody else has taken the lease, and who has is seen by its version.
   */
  async #renew(): Promise<void> {
    const { api, log, pause, now, answered } = this.#parts;
    const { signal } = this.#ended;
    for (;;) {
      await pause(RENEW_MILLISECONDS, signal);
      if (signal.aborted) return;
      const isLast = !this.leads();
      const sentAt = now();
      try {
        this.#held = await api.replace({ ...this.#held, spec: this.#lease().spec });
        answered?.();
        this.#renewedAt = sentAt;
      } catch (error) {
        if (error instanceof Overtaken || error instanceof Refused) return this.#lose('another one leads');
        if (isLast) return this.#lose(`it could not renew its lease: ${messageOf(error)}`);
        log.warn(`the lease was not renewed: ${messageOf(error)}`);
      }
    }
  }

  #lease(): V1Lease & { spec: V1LeaseSpec } {
    const { namespace, listenerId, holder } = this.#parts;
    const renewTime = microTime(new Date());
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: `slipway-${listenerId}`, namespace },
      spec: { holderIdentity: holder, leaseDurationSeconds: LEASE_SECONDS, renewTime },
    };
  }
}

/** On the wire a time has microseconds, which a Date has not. */
const microTime = (at: Date): V1MicroTime =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is written as JSON is this text
  at.toISOString().replace('Z', '000Z') as unknown as V1MicroTime;

/** Somebody else was faster. */
function unlessAnother(error: unknown): undefined {
  if (error instanceof Overtaken || (error instanceof Refused && error.code === 409)) return undefined;
  throw error;
}
