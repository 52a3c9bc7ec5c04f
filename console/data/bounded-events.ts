import { eventsIn, type StreamEvent } from '../../lib/client/event-stream.ts';

const EVENT_BYTES_MAX = 1_000_000;
const LINE_FEED = 10;
const RETURN = 13;

/** Where the last event that a chunk ends is over; -1: it ends none, or the break lies across two chunks. */
function lastEnd(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at > 0; at -= 1) {
    if (chunk[at] !== LINE_FEED) continue;
    const before = chunk[at - 1] === RETURN ? at - 2 : at - 1;
    if (chunk[before] === LINE_FEED) return at;
  }
  return -1;
}

function withShortEvents(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let open = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = lastEnd(chunk);
      open = end === -1 ? open + chunk.length : chunk.length - 1 - end;
      if (open > EVENT_BYTES_MAX) controller.error(new Error('An event is longer than a megabyte.'));
      else controller.enqueue(chunk);
    },
  });
}

/** Server-sent events of a server of somebody's, which may send anything: one is a megabyte at most. */
export const boundedEvents = (body: Response['body']): AsyncGenerator<StreamEvent> =>
  eventsIn(body === null ? null : body.pipeThrough(withShortEvents()));
