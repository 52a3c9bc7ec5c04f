import { messageOf, pause } from './backoff.ts';
import type { ControlPlane } from './control-plane.ts';
import type { StatusReport } from './driver.ts';
import type { Log } from './log.ts';

/** Changes that come together (a switch: revision, then epoch) are one report. */
const SETTLE_MILLISECONDS = 50;
/** The protocol asks for a full report every five minutes, changed or not. */
const REPORT_ALL_MILLISECONDS = 5 * 60_000;
/** What one request may hold (protocol). */
const REPORTS_PER_REQUEST = 500;

/** Tells the control plane what really runs: every change, and everything from time to time. */
export class StatusReporter {
  readonly #controlPlane: ControlPlane;
  readonly #reports: () => StatusReport[];
  readonly #log: Log;
  readonly #changed = new Set<string>();
  #wake: (() => void) | undefined;

  constructor(controlPlane: ControlPlane, reports: () => StatusReport[], log: Log) {
    this.#controlPlane = controlPlane;
    this.#reports = reports;
    this.#log = log;
  }

  changed(deploymentId: string): void {
    this.#changed.add(deploymentId);
    this.#wake?.();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const due = this.#changed.size > 0 || (await this.#waitForChange(signal)) ? 'changed' : 'all';
      if (signal.aborted) return;
      await pause(SETTLE_MILLISECONDS, signal);
      const ids = new Set(this.#changed);
      this.#changed.clear();
      const reports = this.#reports().filter((report) => due === 'all' || ids.has(report.deployment_id));
      await this.#send(reports, signal);
    }
  }

  /** True when something changed, false when it is time to report everything. */
  async #waitForChange(signal: AbortSignal): Promise<boolean> {
    const waiting = new AbortController();
    this.#wake = () => waiting.abort();
    await pause(REPORT_ALL_MILLISECONDS, AbortSignal.any([signal, waiting.signal]));
    this.#wake = undefined;
    return waiting.signal.aborted;
  }

  async #send(reports: StatusReport[], signal: AbortSignal): Promise<void> {
    for (let at = 0; at < reports.length; at += REPORTS_PER_REQUEST) {
      const part = reports.slice(at, at + REPORTS_PER_REQUEST);
      await this.#controlPlane.status({ reports: part }, signal).catch((error: unknown) => {
        if (!signal.aborted) this.#log.warn(`status not reported: ${messageOf(error)}`);
      });
    }
  }
}
