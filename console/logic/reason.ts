import { numberOf } from '../../lib/client/revision.ts';
import { lookOf } from './status.ts';
import { duration } from './time.ts';

/** What the API says of a queued revision, with the id of the one that it waits for. */
const WAITS = /^Waits for revision ([\da-f-]{36}), which is ([A-Z_]+), in progress since ([\d:.TZ-]+)\.$/;

const SECOND_MILLISECONDS = 1_000;
const MINUTE_MILLISECONDS = 60_000;

/** In whole seconds, from a minute on in whole minutes. */
function roughly(milliseconds: number): number {
  const step = milliseconds < MINUTE_MILLISECONDS ? SECOND_MILLISECONDS : MINUTE_MILLISECONDS;
  return Math.max(0, Math.floor(milliseconds / step)) * step;
}

/** A reason as people read it, who know revisions by their numbers; `now` in epoch milliseconds. */
export function reasonShown(reason: string, now: number): string {
  const [, id = '', status = '', since = ''] = WAITS.exec(reason) ?? [];
  const milliseconds = now - Date.parse(since);
  if (id === '' || Number.isNaN(milliseconds)) return reason;
  return `Waits for revision ${numberOf(id)}, ${lookOf(status).word.toLowerCase()} for ${duration(roughly(milliseconds))}.`;
}
