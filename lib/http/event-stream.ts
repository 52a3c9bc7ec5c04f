// A client that follows asks again half a second after an answer ended: as soon as people notice, no sooner.
const RECONNECT_MILLISECONDS = 500;

export const EVENT_STREAM = 'text/event-stream';

export const wantsEventStream = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((type) => type.split(';')[0]?.trim().toLowerCase() === EVENT_STREAM);

/** Log entries as server-sent events; each event's id is the entry's, so a client that reconnects says what it has seen. */
export function eventStream(entries: readonly { id: string }[]): string {
  const events = entries.map((entry) => `id: ${entry.id}\ndata: ${JSON.stringify(entry)}\n\n`);
  return [`retry: ${RECONNECT_MILLISECONDS}\n\n`, ...events].join('');
}
