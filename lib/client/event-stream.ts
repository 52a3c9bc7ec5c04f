/** `kind`: absent for an entry; `pauseMilliseconds`: how long to wait before the stream is asked for again. */
export type StreamEvent = {
  id: string | undefined;
  kind: string | undefined;
  data: string;
  pauseMilliseconds: number | undefined;
};

/** The values of a field of an event, a line each. */
const valuesOf = (block: string, field: string): string[] =>
  block
    .split('\n')
    .filter((line) => line.startsWith(`${field}:`))
    .map((line) => line.slice(field.length + 1).replace(/^ /, ''));

/** Server-sent events as they come. One that is not whole when the body ends does not count. */
export async function* eventsIn(body: ReadableStream<Uint8Array> | null): AsyncGenerator<StreamEvent> {
  if (body === null) return;
  const decoder = new TextDecoder();
  // By a reader: not every browser iterates streams.
  const reader = body.getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      // A CR at the end may be half of a line break.
      const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const pause = Number(valuesOf(block, 'retry').at(-1));
        yield {
          id: valuesOf(block, 'id').at(-1),
          kind: valuesOf(block, 'event').at(-1),
          data: valuesOf(block, 'data').join('\n'),
          pauseMilliseconds: pause > 0 ? pause : undefined,
        };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
