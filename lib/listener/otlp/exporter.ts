import type { MinuteCounts } from '../../contract/deployments/counts.ts';
import { countedOf, merge } from '../../domain/metrics/merge.ts';
import { numberOf } from '../../domain/revision-id.ts';
import { messageOf } from '../backoff.ts';
import { type MeasuredRevision, MINUTE_MILLISECONDS } from '../counts/measured.ts';
import type { Log } from '../log.ts';
import { payloadOf, type Series } from './payload.ts';

/** So many revisions are sent at most; of more, those that were measured last. */
const SERIES_MAX = 200;
/** One that was not measured for so long is forgotten. Should it come back, its totals begin anew. */
const SILENT_MINUTES = 15;
/** The next minute must not find this one under way. */
const ANSWER_MILLISECONDS = 30_000;

type Parts = {
  /** What paths are added to, as OpenTelemetry's own variables have it. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  /** The instance of the listener, which several may be of one deployment. */
  instanceId: string;
  version: string;
  log: Log;
};

/** Sends what was measured to a collector of OpenTelemetry, once a minute. Whatever it answers holds up nothing. */
export class OtlpExporter {
  readonly #parts: Parts;
  readonly #url: string;
  readonly #series = new Map<string, Series>();
  #isDue = false;
  #isSending = false;
  #isFailing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { endpoint } = parts;
    this.#url = endpoint.endsWith('/v1/metrics') ? endpoint : `${endpoint}/v1/metrics`;
  }

  /** Takes a minute, and sends all totals: at once, or when those before them have been answered. */
  note(measured: readonly MeasuredRevision[], minute: number): void {
    const until = (minute + 1) * MINUTE_MILLISECONDS;
    for (const each of measured) this.#add(each, minute, until);
    for (const [key, series] of this.#series)
      if (series.until <= until - SILENT_MINUTES * MINUTE_MILLISECONDS || this.#series.size > SERIES_MAX)
        this.#series.delete(key);
    if (this.#series.size === 0) return;
    this.#isDue = true;
    if (!this.#isSending) void this.#sendAll();
  }

  #add(
    { deploymentId, deploymentName, revisionId, counts }: MeasuredRevision,
    minute: number,
    until: number,
  ): void {
    const key = `${deploymentId}/${revisionId}`;
    const before = this.#series.get(key);
    this.#series.delete(key);
    this.#series.set(key, {
      resource: {
        'service.name': deploymentName,
        'service.version': String(numberOf(revisionId)),
        'service.instance.id': this.#parts.instanceId,
        'slipway.deployment.id': deploymentId,
        'slipway.revision.id': revisionId,
      },
      since: before?.since ?? minute * MINUTE_MILLISECONDS,
      until,
      counted: totalOf(before?.counted, counts),
      now: counts,
    });
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#isDue) {
      this.#isDue = false;
      await this.#send();
    }
    this.#isSending = false;
  }

  async #send(): Promise<void> {
    const { headers, version, log } = this.#parts;
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(payloadOf([...this.#series.values()], version)),
        signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
        redirect: 'error',
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      if (this.#isFailing) log.info('measurements are sent by OTLP again');
      this.#isFailing = false;
    } catch (error) {
      // Said once: whoever reads the log has seen it.
      if (!this.#isFailing) log.warn(`measurements are not sent by OTLP: ${messageOf(error)}`);
      this.#isFailing = true;
    }
  }
}

const totalOf = (before: MinuteCounts | undefined, counts: MinuteCounts): MinuteCounts =>
  before === undefined ? countedOf(counts) : merge(before, countedOf(counts), 'times');
