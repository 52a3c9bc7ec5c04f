import * as z from 'zod';
import type { RunEnd } from '../queue/port.ts';
import type { Frame } from './frames.ts';

const endFields = z.object({ next: z.array(z.string()), parts: z.array(z.int().min(0)) });

/** How a run has ended, if a frame says so. */
export function runEndOf({ header, body }: Frame): RunEnd | undefined {
  switch (header.e) {
    case '__end__':
      return endedOf(header, body);
    case '__drained__':
      return { kind: 'drained' };
    case '__cancelled__':
      return { kind: 'cancelled' };
    case '__fenced__':
      return { kind: 'fenced' };
    case '__away__':
      return { kind: 'store-away', reason: body.toString() };
    case '__error__':
      return { kind: 'failed', error: body.toString() };
    default:
      return undefined;
  }
}

/** The body holds the documents one after the other, so that none is parsed. */
function endedOf(header: unknown, body: Buffer): RunEnd {
  const { next, parts } = endFields.parse(header);
  let at = 0;
  const [values = 'null', interrupts = '{}', output = 'null', state = ''] = parts.map((length) => {
    at += length;
    return body.toString('utf8', at - length, at);
  });
  return { kind: 'ended', values, next, interrupts, output, ...(state !== '' && { state }) };
}
