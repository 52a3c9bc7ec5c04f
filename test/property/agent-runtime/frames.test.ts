import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameError, FrameReader, frame } from '../../../lib/agent-runtime/worker/frames.ts';

const sent = fc.record({ id: fc.nat(), e: fc.string(), body: fc.uint8Array({ maxLength: 300 }) });

/** As a worker writes it: an event instead of an operation. */
function written({ id, e, body }: { id: number; e: string; body: Uint8Array }): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify({ id, e, n: body.length })}\n`), body]);
}

describe('frames', () => {
  it('come out as they were sent, however their bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(sent, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 40 })),
        (all, cuts) => {
          const bytes = Buffer.concat(all.map(written));
          const reader = new FrameReader();
          const read = [];
          let at = 0;
          for (let turn = 0; at < bytes.length; turn += 1) {
            const end = at + (cuts.length === 0 ? bytes.length : (cuts[turn % cuts.length] ?? 1));
            read.push(...reader.push(bytes.subarray(at, end)));
            at = end;
          }
          expect(read.map(({ header, body }) => ({ id: header.id, e: header.e, body: [...body] }))).toEqual(
            all.map(({ id, e, body }) => ({ id, e, body: [...body] })),
          );
        },
      ),
    );
  });

  it.each([
    ['no JSON', 'event\n'],
    ['no length', '{"e":"values"}\n'],
    ['a length below nothing', '{"e":"values","n":-1}\n'],
    ['a body that no text can hold', '{"e":"values","n":9000000000}\n'],
    ['a header without an end', 'x'.repeat(4 * 1024 * 1024 + 1)],
  ])('are refused with %s', (_, text) => {
    expect(() => new FrameReader().push(Buffer.from(text))).toThrow(FrameError);
  });

  it('are written with the length of their bytes, not of their characters', () => {
    expect(frame({ id: 1, op: 'state' }, '"ü"').toString()).toBe('{"id":1,"op":"state","n":4}\n"ü"');
  });
});
