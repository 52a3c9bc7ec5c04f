import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { withBidiShown } from '../../../lib/shown-text.ts';

const MARKS = Array.from('\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069');

it('shows each mark as a program writes it', () => {
  expect(withBidiShown(MARKS.join(' '))).toBe(
    String.raw`\u061c \u200e \u200f \u202a \u202b \u202c \u202d \u202e \u2066 \u2067 \u2068 \u2069`,
  );
});

it('leaves no mark, and every text without one as it is', () => {
  const text = fc.string({ unit: fc.constantFrom(...MARKS, 'a', ' ', 'ש', '\\', '\u{1F469}', '\n') });
  fc.assert(
    fc.property(text, (given) => {
      const shown = withBidiShown(given);
      expect(MARKS.some((mark) => shown.includes(mark))).toBe(false);
      if (!MARKS.some((mark) => given.includes(mark))) expect(shown).toBe(given);
    }),
  );
  // Right-to-left names themselves are names as any other.
  expect(withBidiShown('שלום عرب 👩‍💻')).toBe('שלום عرب 👩‍💻');
});
