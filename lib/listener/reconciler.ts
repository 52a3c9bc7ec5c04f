import type { DesiredResponse } from '../features/listener-protocol/shape.ts';
import { messageOf, pause } from './backoff.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Driver } from './driver.ts';
import type { Log } from './log.ts';

type Row = DesiredResponse['deployments'][number];
type Parts = {
  controlPlane: Pick<ControlPlane, 'desired' | 'desiredOf' | 'spec'>;
  driver: Pick<
    Driver,
    | 'configure'
    | 'keepRunning'
    | 'remove'
    | 'confirm'
    | 'setAddress'
    | 'releaseThreads'
    | 'deploymentIds'
    | 'runningRevision'
    | 'epochOf'
  >;
  /** True while a task of this deployment is worked on here: its own end decides. */
  isBusy: (deploymentId: string) => boolean;
  log: Log;
};

/** What is out of line without our noticing is found after so long; an unchanged answer costs a 304. */
const PERIOD_MILLISECONDS = 5 * 60_000;
/**
 * Rows that could not be applied (held, or their spec is of another revision just now) are looked at again
 * sooner.
 */
const SKIPPED_PERIOD_MILLISECONDS = 15_000;
/** The end of a task is a moment to look at everything, but not of each of many. */
const WHOLE_MILLISECONDS = 60_000;

/** Rows that one request may name (protocol). */
const NAMED_MAX = 100;

/** Brings what runs on this machine in line with what the control plane wants to run here. */
export class Reconciler {
  readonly #parts: Parts;
  #etag: string | undefined;
  /** Everything is to be looked at, or these deployments. */
  #all = false;
  readonly #named = new Set<string>();
  /** When everything was looked at, as `performance.now()` has it. */
  #allAt = Number.NEGATIVE_INFINITY;
  #wake: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Asks for a pass now, over one deployment or all. Several requests before it begins are one. */
  request(deploymentId?: string): void {
    if (deploymentId !== undefined) this.#named.add(deploymentId);
    else {
      this.#all = true;
      this.#etag = undefined;
    }
    this.#wake?.();
  }

  /** Asks for a pass over what has changed in `desired` since the last one. */
  look(): void {
    this.#all = true;
    this.#wake?.();
  }

  /** Makes a pass whenever asked and every few minutes, until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    let skipped: string[] | 'failed' = [];
    while (!signal.aborted) {
      const isAsked = this.#all || this.#named.size > 0;
      const isSoon = skipped === 'failed' || skipped.length > 0;
      if (!isAsked) await this.#wait(isSoon ? SKIPPED_PERIOD_MILLISECONDS : PERIOD_MILLISECONDS, signal);
      if (signal.aborted) return;
      if (skipped !== 'failed') for (const id of skipped) this.#named.add(id);
      skipped = await this.#pass(signal, skipped === 'failed');
    }
  }

  /** A pass over everything. True when a row had to be left for later. */
  async once(signal: AbortSignal): Promise<boolean> {
    const skipped = await this.#pass(signal, true);
    if (skipped !== 'failed') for (const id of skipped) this.#named.add(id);
    return skipped === 'failed' || skipped.length > 0;
  }

  /** One pass. Gives the deployments that must be looked at again. */
  async #pass(signal: AbortSignal, everything: boolean): Promise<string[] | 'failed'> {
    const isDue = performance.now() - this.#allAt >= WHOLE_MILLISECONDS;
    const named = [...this.#named];
    const isWhole = everything || this.#all || isDue || named.length === 0 || named.length > NAMED_MAX;
    this.#all = false;
    this.#named.clear();
    // What has to be looked at again need not have changed in the list: the next whole look must not be
    // answered with 304.
    if (named.length > 0) this.#etag = undefined;
    try {
      return isWhole ? await this.#everything(signal) : await this.#these(named, signal);
    } catch (error) {
      if (!signal.aborted) this.#parts.log.warn(`not reconciled: ${messageOf(error)}`);
      return 'failed';
    }
  }

  async #everything(signal: AbortSignal): Promise<string[]> {
    const { controlPlane, driver } = this.#parts;
    // Compute that a task starts while the answer is on its way is not yet in it, and must not be removed for
    // that.
    const before = driver.deploymentIds();
    const found = await controlPlane.desired(this.#etag, signal);
    this.#allAt = performance.now();
    if (found === 'unchanged') return [];
    this.#configure(found.answer);
    const skipped = await this.#applyAll(found.answer.deployments, before, signal);
    if (found.answer.complete) await this.#removeUnlisted(found.answer, before);
    this.#etag = found.etag;
    return skipped;
  }

  /** What ended here changes one row: to read that costs the same however many there are. */
  async #these(ids: string[], signal: AbortSignal): Promise<string[]> {
    const { controlPlane, driver } = this.#parts;
    const before = driver.deploymentIds();
    const { deployments } = await controlPlane.desiredOf(ids, signal);
    const listed = new Set(deployments.map((row) => row.deployment_id));
    // Only a whole answer allows to remove what is not in it.
    if (ids.some((id) => !listed.has(id) && before.includes(id))) this.request();
    return this.#applyAll(deployments, before, signal);
  }

  #configure({ compute_config: config }: DesiredResponse): void {
    if (config !== undefined) this.#parts.driver.configure?.(config);
  }

  async #applyAll(rows: Row[], before: string[], signal: AbortSignal): Promise<string[]> {
    const applied = await Promise.all(rows.map((row) => this.#apply(row, before, signal)));
    return rows.filter((_, index) => applied[index] === false).map((row) => row.deployment_id);
  }

  async #wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const waiting = new AbortController();
    this.#wake = () => waiting.abort();
    await pause(milliseconds, AbortSignal.any([signal, waiting.signal]));
    this.#wake = undefined;
  }

  /** False when the row must be looked at again. */
  async #apply(row: Row, before: string[], signal: AbortSignal): Promise<boolean> {
    const { driver, isBusy } = this.#parts;
    const id = row.deployment_id;
    if (isBusy(id)) return false;
    const isPast = row.epoch < (driver.epochOf(id) ?? 0);
    // It takes no compute, so it may change while a task is in progress elsewhere. An older control plane
    // does not tell.
    if (!isPast && row.custom_url !== undefined) driver.setAddress(id, row.custom_url);
    if (!isPast) driver.releaseThreads?.(id, row.release_threads ?? []);
    // A held deployment is its task's; but after a restart of this program nothing of it runs, and what was
    // active can serve.
    if (row.held && (row.revision_id === null || driver.runningRevision(id) !== undefined)) return false;
    if (isPast) return true;
    if (row.revision_id === null) {
      await this.#runNothing(row, before);
      return true;
    }
    if (driver.runningRevision(id) === row.revision_id) {
      await driver.confirm(id, row.epoch);
      return true;
    }
    return (await this.#bringBack(row, row.revision_id, signal)) && !row.held;
  }

  /** Also where nothing runs the epoch is taken note of, for that is reported. */
  async #runNothing({ deployment_id: id, epoch, delete_data: atOnce }: Row, before: string[]): Promise<void> {
    const { driver, log } = this.#parts;
    const runs = driver.runningRevision(id) !== undefined;
    if (runs && !before.includes(id)) return;
    if (!runs && driver.epochOf(id) === epoch) return;
    if (runs) log.info(`deployment ${id} shall run nothing: removing it`);
    await driver.remove(id, epoch, atOnce === true ? 'deleted-at-once' : 'as-usual');
  }

  async #bringBack(row: Row, revisionId: string, signal: AbortSignal): Promise<boolean> {
    const { controlPlane, driver, isBusy, log } = this.#parts;
    const spec = await controlPlane.spec(row.deployment_id, signal);
    if (spec === undefined || spec.revision_id !== revisionId) return false;
    // A task may have come in meanwhile; it knows better.
    if (isBusy(row.deployment_id)) return false;
    log.info(`${spec.deployment_name}: bringing revision ${revisionId} up`);
    driver.keepRunning({ ...spec, epoch: Math.max(spec.epoch, row.epoch) });
    return true;
  }

  async #removeUnlisted(answer: DesiredResponse, before: string[]): Promise<void> {
    const { driver, isBusy, log } = this.#parts;
    const listed = new Set(answer.deployments.map((row) => row.deployment_id));
    for (const id of before.filter((one) => !listed.has(one) && !isBusy(one))) {
      log.info(`deployment ${id} is no longer known: removing it`);
      await driver.remove(id);
    }
  }
}
