import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appended, emptyLog, LINES_MAX, prepended } from '../../../console/logic/log-buffer.ts';
import { plainText, spansOf } from '../../../console/logic/log-text.ts';
import type { LogEntry } from '../../../lib/client/endpoints.ts';
import { cleanMessage } from '../../../lib/domain/log-line.ts';

const line = (n: number): LogEntry => ({ id: String(n), timestamp: n, level: 'INFO', message: `line ${n}` });
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => line(from + at));
const idsOf = (all: readonly LogEntry[]) => all.map(({ id }) => Number(id));

describe('the colours of a log line', () => {
  it('are shown as looks, and their codes are not', () => {
    const message = cleanMessage('\u001b[1;31mfailed\u001b[0m: \u001b[38;5;208mx\u001b[39m \u001b[2Kend');
    expect(spansOf(message)).toEqual([
      { text: 'failed', className: 'ansi-red ansi-bold' },
      { text: ': ', className: '' },
      { text: 'x', className: '' },
      { text: ' ', className: '' },
      { text: 'end', className: '' },
    ]);
    expect(plainText(message)).toBe('failed: x end');
  });

  it('lose no text and gain none, whatever a line holds', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('\\x1b[', '\\x1b[31m', '\\x1b[0m', '\\x1b[38;2;1;2;3m', 'm'),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const message = parts.join('');
        expect(
          spansOf(message)
            .map(({ text }) => text)
            .join(''),
        ).toBe(plainText(message));
      }),
    );
  });
});

describe('the lines on the page', () => {
  it('are the newest ones, each once and in order, however they come', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(3000)), { maxLength: 12 }), (pieces) => {
        let buffer = emptyLog;
        let end = 0;
        for (const [again, more] of pieces) {
          const from = Math.max(0, end - again);
          end += more;
          buffer = appended(buffer, lines(from, end));
        }
        expect(idsOf(buffer.lines)).toEqual(idsOf(lines(Math.max(0, end - LINES_MAX), end)));
        expect(buffer.hasEarlier).toBe(end > LINES_MAX);
      }),
      { numRuns: 50 },
    );
  });

  it('grow at the beginning too, up to the same number', () => {
    const some = appended(emptyLog, lines(4000, 5000));
    const more = prepended(some, lines(3000, 4001), true);
    expect(idsOf(more.lines)).toEqual(idsOf(lines(3000, 5000)));
    expect(more).toMatchObject({ hasEarlier: true, isBehind: false });
    const most = prepended(more, lines(0, 3000).concat(lines(-1000, 0)), false);
    expect(most.lines).toHaveLength(LINES_MAX);
    expect(most).toMatchObject({ hasEarlier: false, isBehind: true });
  });
});
