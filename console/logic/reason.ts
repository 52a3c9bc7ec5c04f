import { numberOf } from '../../lib/client/revision.ts';
import { lookOf } from './status.ts';

/** What the API says of a queued revision, with the id of the one that it waits for. */
const WAITS = /^Waits for revision ([\da-f-]{36}), which is ([A-Z_]+), in progress since ([\d:.TZ-]+)\.$/;

const MINUTE_SECONDS = 60;

function roughly(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < MINUTE_SECONDS) return `${seconds} s`;
  const minutes = Math.floor(seconds / MINUTE_SECONDS);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A reason as people read it, who know revisions by their numbers; `now` in epoch milliseconds. */
export function reasonShown(reason: string, now: number): string {
  const [, id = '', status = '', since = ''] = WAITS.exec(reason) ?? [];
  const milliseconds = now - Date.parse(since);
  if (id === '' || Number.isNaN(milliseconds)) return reason;
  return `Waits for revision ${numberOf(id)}, ${lookOf(status).word.toLowerCase()} for ${roughly(milliseconds)}.`;
}
