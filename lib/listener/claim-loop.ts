import type { CountsRow, Unmeasured } from '../contract/deployments/counts.ts';
import { platformOf } from '../contract/images/platforms.ts';
import type { ClaimResponse } from '../features/listener-protocol/shape.ts';
import { messageOf, type Pause } from './backoff.ts';
import type { ClaimBody, ControlPlane } from './control-plane.ts';
import type { StatusReport } from './driver.ts';
import { ControlPlaneRefused } from './http.ts';
import type { Log } from './log.ts';

type Parts = {
  controlPlane: Pick<ControlPlane, 'claim'>;
  instanceId: string;
  version: string;
  log: Log;
  pause: Pause;
  tasksAtOnce: number;
  /** What folders and images are built for; by default this machine. */
  platform?: string;
  /** False: another program may be working for this listener. */
  mayClaim?: () => boolean;
  /** The tasks that are worked on, and whose leases are not in doubt. */
  holding: () => string[];
  /** What was counted and not taken yet. It rides on claims, so that nothing else has to ask for it. */
  counts: { due: () => CountsRow[]; settle: (rows: readonly CountsRow[]) => Promise<void> };
  /** What cannot be measured; it is told when it has changed. */
  unmeasured: () => Unmeasured[];
  /**
   * What runs. `board` gives what the claim that is about to be made takes along, if it can; `landed` hears
   * whether the control plane took it. Absent: it is told otherwise.
   */
  reports?: { board: (carries: boolean) => StatusReport[]; landed: (isTaken: boolean) => void };
  /** The socket by which this program is rung. Absent: there is none. */
  doorbell?: {
    isOpen: () => boolean;
    learned: (offer: ClaimResponse['doorbell'], saidOpen: boolean) => void;
  };
  /** Hears how long nothing is asked now unless something happens, in milliseconds. */
  onRest?: (milliseconds: number) => void;
  onAnswer: (answer: ClaimResponse) => void;
};

/** The server may hold the answer so long while there is no work. */
const WAIT_SECONDS = 20;
/** With all hands full nothing more is given: what waits is seen soon after a task has ended. */
const FULL_WAIT_SECONDS = 1;
/** After a refusal (a revoked key, say) we ask seldom: it takes a person to mend that. */
const REFUSED_MILLISECONDS = 15_000;

/** The request itself is what is wrong. */
const MALFORMED = new Set([400, 413, 422]);

/** Asks for work over and over, as often as the server wants to be asked. */
export class ClaimLoop {
  readonly #parts: Parts;
  /** Ends the claim that is under way. */
  #turn = new AbortController();
  #pausing = new AbortController();
  /** Those who wait for the answer to a claim that was not under way yet when they asked. */
  #waiting: (() => void)[] = [];
  #ended = false;
  /** What was told last of what cannot be measured, as JSON. */
  #unmeasured: string | undefined;
  /** The last claim was answered with a doorbell that rings, so that the next is not held. */
  #rings = false;
  /** The control plane reads no reports of claims. It is asked again when the doorbell rings anew. */
  #isOlder = false;
  #isResting = false;
  #isCarrying = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Asks now instead of after the pause, or once more after the claim that is under way: a task has ended,
   * and another may have waited for that, or the doorbell has rung.
   */
  wake(): void {
    this.#pausing.abort();
  }

  /** No claim is under way, and one that is made now takes reports along and is answered at once. */
  carries(): boolean {
    return this.#isResting && this.#mayCarry();
  }

  /**
   * Asks anew at once, and resolves when the answer is applied, or when there will be none. What the claim
   * that is given up for it may have been given comes back with that answer. One with reports is not given
   * up: nobody would know whether it comes after newer ones. It is not held either.
   */
  again(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (!this.#isCarrying) this.#turn.abort();
    this.#pausing.abort();
    return promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#turn = new AbortController();
      this.#pausing = new AbortController();
      const waiting = this.#waiting.length;
      const wait = await this.#claim(AbortSignal.any([signal, this.#turn.signal]), waiting > 0);
      if (wait === 'given up') continue;
      for (const resolve of this.#waiting.splice(0, waiting)) resolve();
      this.#parts.onRest?.(wait);
      this.#isResting = !signal.aborted;
      await this.#parts.pause(wait, AbortSignal.any([signal, this.#pausing.signal]));
      this.#isResting = false;
    }
    this.#ended = true;
    this.#parts.reports?.board(false);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #mayCarry(): boolean {
    return this.#rings && !this.#isOlder && this.#parts.doorbell?.isOpen() === true;
  }

  /** Gives the milliseconds until the next claim. */
  async #claim(signal: AbortSignal, isAwaited: boolean): Promise<number | 'given up'> {
    const { reports, log } = this.#parts;
    const mayClaim = this.#parts.mayClaim?.() !== false;
    const boarded = reports?.board(mayClaim && this.#mayCarry()) ?? [];
    if (!mayClaim) return REFUSED_MILLISECONDS;
    this.#isCarrying = boarded.length > 0;
    let isTaken = false;
    try {
      const answer = await this.#ask(signal, { isAwaited, boarded });
      isTaken = answer.reported !== undefined;
      this.#isOlder = this.#rings && (this.#isOlder || (this.#isCarrying && !isTaken));
      return answer.poll_after_seconds * 1000;
    } catch (error) {
      this.#rings = false;
      if (signal.aborted) return 'given up';
      // Perhaps it is a report that is refused: those go by themselves now, and work does not wait for them.
      if (this.#isCarrying && isMalformed(error)) return 0;
      log.error(`no work can be claimed: ${messageOf(error)}`);
      return REFUSED_MILLISECONDS;
    } finally {
      if (this.#isCarrying) reports?.landed(isTaken);
      this.#isCarrying = false;
    }
  }

  /** Makes a claim and applies its answer. */
  async #ask(
    signal: AbortSignal,
    { isAwaited, boarded }: { isAwaited: boolean; boarded: StatusReport[] },
  ): Promise<ClaimResponse> {
    const { controlPlane, instanceId, version, tasksAtOnce, holding, counts, onAnswer } = this.#parts;
    const held = holding();
    const wait = held.length < tasksAtOnce ? WAIT_SECONDS : FULL_WAIT_SECONDS;
    const told = counts.due();
    const missing = this.#parts.unmeasured();
    const { doorbell } = this.#parts;
    const isRung = doorbell?.isOpen() === true;
    const isNews = JSON.stringify(missing) !== this.#unmeasured;
    const body: ClaimBody = {
      instance_id: instanceId,
      version,
      platform: this.#parts.platform ?? platformOf(process),
      max: tasksAtOnce,
      holding: held,
      wait_seconds: isAwaited || boarded.length > 0 ? 0 : wait,
      ...(told.length > 0 && { counts: told }),
      ...(isNews && { missing }),
      ...(isRung && { doorbell: true }),
      ...(boarded.length > 0 && { reports: boarded }),
    };
    const answer = await controlPlane.claim(body, signal).catch(async (error: unknown) => {
      // Work must not wait for ever for counts that nobody takes.
      if (boarded.length === 0 && isMalformed(error)) await counts.settle(told);
      throw error;
    });
    await counts.settle(told);
    if (isNews) this.#unmeasured = JSON.stringify(missing);
    this.#rings = isRung && answer.doorbell?.rings === true;
    onAnswer(answer);
    doorbell?.learned(answer.doorbell, isRung);
    return answer;
  }
}

const isMalformed = (error: unknown): boolean =>
  error instanceof ControlPlaneRefused && MALFORMED.has(error.status);
