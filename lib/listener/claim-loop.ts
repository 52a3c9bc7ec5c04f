import type { ClaimResponse } from '../contract/listener-protocol.ts';
import { messageOf, pause } from './backoff.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Log } from './log.ts';
import { TASKS_AT_ONCE } from './task-runner.ts';

type Parts = {
  controlPlane: ControlPlane;
  instanceId: string;
  version: string;
  log: Log;
  onAnswer: (answer: ClaimResponse) => void;
};

/** The server may hold the answer so long while there is no work. */
const WAIT_SECONDS = 20;
/** After a refusal (a revoked key, say) we ask seldom: it takes a person to mend that. */
const REFUSED_MILLISECONDS = 15_000;

/** Asks for work over and over, as often as the server wants to be asked. */
export class ClaimLoop {
  readonly #parts: Parts;
  #underWay: Promise<void> = Promise.resolve();
  #pausing = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves when the claim that is under way now, if any, has come back and is applied. */
  settled(): Promise<void> {
    return this.#underWay;
  }

  /** Asks now instead of after the pause: a task has ended, and another may have waited for that. */
  wake(): void {
    this.#pausing.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let wait = REFUSED_MILLISECONDS;
      this.#pausing = new AbortController();
      const claim = this.#claim(signal).then((seconds) => {
        wait = seconds * 1000;
      });
      this.#underWay = claim.catch(() => undefined);
      await claim.catch((error: unknown) => {
        if (!signal.aborted) this.#parts.log.error(`no work can be claimed: ${messageOf(error)}`);
      });
      await pause(wait, AbortSignal.any([signal, this.#pausing.signal]));
    }
  }

  async #claim(signal: AbortSignal): Promise<number> {
    const { controlPlane, instanceId, version, onAnswer } = this.#parts;
    const answer = await controlPlane.claim(
      { instance_id: instanceId, version, max: TASKS_AT_ONCE, wait_seconds: WAIT_SECONDS },
      signal,
    );
    onAnswer(answer);
    return answer.poll_after_seconds;
  }
}
