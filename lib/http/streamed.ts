import type { Result } from './exchange.ts';

/** Bodies that come bit by bit, beside their answers: only a gateway that can pass them on looks for them. */
const streams = new WeakMap<Result, ReadableStream<Uint8Array>>();

export const streamOf = (result: Result): ReadableStream<Uint8Array> | undefined => streams.get(result);

/** Keeps the stream of an output with its answer, if it has one. */
export function withStream(result: Result, output: unknown): Result {
  if (typeof output === 'object' && output !== null && 'stream' in output) {
    if (output.stream instanceof ReadableStream) streams.set(result, output.stream);
  }
  return result;
}
