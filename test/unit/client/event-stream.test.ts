import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventsIn, type StreamEvent } from '../../../lib/client/event-stream.ts';

/** The bytes of a text, cut there. */
function cut(text: string, places: number[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const cuts = places.map((place) => place % (bytes.length + 1)).toSorted((one, other) => one - other);
  const starts = [0, ...cuts];
  return new ReadableStream({
    start(controller) {
      starts.forEach((start, index) => controller.enqueue(bytes.subarray(start, starts[index + 1])));
      controller.close();
    },
  });
}

async function all(stream: ReadableStream<Uint8Array>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of eventsIn(stream)) events.push(event);
  return events;
}

describe('a stream of events', () => {
  const entries = fc.array(fc.record({ id: fc.uuid(), message: fc.string({ unit: 'grapheme' }) }), {
    maxLength: 8,
  });

  it.each(['\n', '\r\n'])(
    'gives the same events wherever it is cut, with line breaks %j',
    async (lineBreak) => {
      await fc.assert(
        fc.asyncProperty(entries, fc.array(fc.nat(1_000)), async (given, places) => {
          const events = given.map((entry) => `id: ${entry.id}\ndata: ${JSON.stringify(entry)}\n\n`);
          const text = ['retry: 500\n\n', ...events].join('').replaceAll('\n', lineBreak);
          const [first, ...heard] = await all(cut(text, places));
          expect(first).toMatchObject({ data: '', pauseMilliseconds: 500 });
          expect(heard.map(({ id }) => id)).toEqual(given.map(({ id }) => id));
          expect(heard.map(({ data }): unknown => JSON.parse(data))).toEqual(given);
        }),
        { numRuns: 50 },
      );
    },
  );

  it('reads several lines of data as one, names of events, and nothing of comments', async () => {
    const text = ': hello\n\nevent: end\ndata: a\ndata:b\n\ndata: not whole';
    const [comment, end, ...more] = await all(cut(text, []));
    expect(comment).toMatchObject({ kind: undefined, data: '' });
    expect(end).toMatchObject({ kind: 'end', data: 'a\nb' });
    expect(more).toEqual([]);
  });
});
