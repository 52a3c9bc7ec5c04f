import { REPORTS_PER_REQUEST_MAX } from '../contract/deployments/reports.ts';
import { messageOf, type Pause } from './backoff.ts';
import type { ControlPlane } from './control-plane.ts';
import type { StatusReport } from './driver.ts';
import type { Log } from './log.ts';

type Parts = {
  controlPlane: Pick<ControlPlane, 'status'>;
  /** What runs at this moment. */
  reports: () => StatusReport[];
  /** Claims, which take reports along while a doorbell rings. */
  claims: { carries: () => boolean; wake: () => void };
  log: Log;
  pause: Pause;
  /** Milliseconds of a clock that only goes on. */
  now: () => number;
};

/** Changes that come together (a switch: revision, then epoch) are one report. */
const SETTLE_MILLISECONDS = 50;
/** The protocol asks for a full report every five minutes, changed or not. */
const REPORT_ALL_MILLISECONDS = 5 * 60_000;
/** A claim that is made anyway takes it so much earlier, and spares one that would be made for it. */
const EARLY_MILLISECONDS = 30_000;

/**
 * Tells the control plane what really runs: every change, and everything from time to time. Claims take it
 * along while they are made for it at once; else it is sent by itself. One request at a time carries reports,
 * each with the state of the moment, so that nothing older comes after something newer.
 */
export class StatusReporter {
  readonly #parts: Parts;
  readonly #changed = new Set<string>();
  #wake: (() => void) | undefined;
  #toldAllAt: number;
  /** A claim is asked to take along what there is to tell; called when one has, or cannot. */
  #asked: (() => void) | undefined;
  /** The claim that is under way carries reports: of what, and whether they were taken in the end. */
  #riding: ({ ids: string[] } & PromiseWithResolvers<boolean>) | undefined;
  #isSending = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#toldAllAt = parts.now();
  }

  changed(deploymentId: string): void {
    this.#changed.add(deploymentId);
    this.#wake?.();
  }

  /**
   * What the claim that is about to be made takes along; `carries`: it can. `landed` has to follow if that is
   * anything.
   */
  board(carries: boolean): StatusReport[] {
    const asked = this.#asked;
    this.#asked = undefined;
    const reports = carries && !this.#isSending ? this.#forClaim(asked !== undefined) : [];
    if (reports.length > 0) {
      const ids = reports.map(({ deployment_id: id }) => id);
      this.#riding = { ids, ...Promise.withResolvers<boolean>() };
    }
    asked?.();
    return reports;
  }

  /** The claim with reports has ended. What was not taken by it is told anew. */
  landed(isTaken: boolean): void {
    const riding = this.#riding;
    this.#riding = undefined;
    if (!isTaken) for (const id of riding?.ids ?? []) this.changed(id);
    riding?.resolve(isTaken);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#untilDue(signal);
      if (signal.aborted) return;
      await this.#parts.pause(SETTLE_MILLISECONDS, signal);
      await this.#tell(signal);
    }
  }

  #forClaim(isAsked: boolean): StatusReport[] {
    const isAll = this.#isAllDue(EARLY_MILLISECONDS);
    // What was not asked for may be half of a change.
    if (!isAsked && !isAll) return [];
    const reports = this.#due(isAll);
    if (reports.length > REPORTS_PER_REQUEST_MAX) return [];
    this.#told(isAll);
    return reports;
  }

  /** Something has changed, or it is time to report everything. */
  async #untilDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#changed.size === 0 && !this.#isAllDue()) {
      const waiting = new AbortController();
      this.#wake = () => waiting.abort();
      const left = this.#toldAllAt + REPORT_ALL_MILLISECONDS - this.#parts.now();
      await this.#parts.pause(Math.ceil(left), AbortSignal.any([signal, waiting.signal]));
      this.#wake = undefined;
    }
  }

  async #tell(signal: AbortSignal): Promise<void> {
    const { claims } = this.#parts;
    const { length: count } = this.#due(this.#isAllDue());
    if (count > 0 && count <= REPORTS_PER_REQUEST_MAX && claims.carries()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#asked = resolve;
      claims.wake();
      await promise;
    }
    // What has changed since is told by the next, which may be a claim again.
    if (this.#riding !== undefined && (await this.#riding.promise)) return;
    const isAll = this.#isAllDue();
    const reports = this.#due(isAll);
    this.#told(isAll);
    this.#isSending = true;
    await this.#send(reports, signal);
    this.#isSending = false;
  }

  #isAllDue(earlyMilliseconds = 0): boolean {
    return this.#parts.now() - this.#toldAllAt >= REPORT_ALL_MILLISECONDS - earlyMilliseconds;
  }

  #due(isAll: boolean): StatusReport[] {
    const reports = this.#parts.reports();
    return isAll ? reports : reports.filter(({ deployment_id: id }) => this.#changed.has(id));
  }

  /** All that is due is on its way. */
  #told(isAll: boolean): void {
    this.#changed.clear();
    if (isAll) this.#toldAllAt = this.#parts.now();
  }

  async #send(reports: StatusReport[], signal: AbortSignal): Promise<void> {
    for (let at = 0; at < reports.length; at += REPORTS_PER_REQUEST_MAX) {
      const part = reports.slice(at, at + REPORTS_PER_REQUEST_MAX);
      await this.#parts.controlPlane.status({ reports: part }, signal).catch((error: unknown) => {
        if (!signal.aborted) this.#parts.log.warn(`status not reported: ${messageOf(error)}`);
      });
    }
  }
}
