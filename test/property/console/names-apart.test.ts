import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marked, match } from '../../../console/logic/fuzzy.ts';
import { partsOf } from '../../../console/logic/happened.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '-', ' ', '1'), maxLength: 60 });

describe('whatever the texts are', () => {
  it('the parts of a sentence are the sentence, and each name in it is whole', () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 4 }), (says, names) => {
        const parts = partsOf(says, names);
        expect(parts.map((part) => part.text).join('')).toBe(says);
        for (const part of parts) if (part.isName) expect(names).toContain(part.text);
      }),
    );
  });

  it('what is found in a title is marked in it, and its parts are the title', () => {
    fc.assert(
      fc.property(text, text, (title, typed) => {
        const found = match(title, typed);
        if (found === undefined) return;
        const parts = marked(title, found.ranges);
        expect(parts.map((part) => part.text).join('')).toBe(title);
        if (typed.trim() !== '') expect(parts.some(({ isFound }) => isFound)).toBe(true);
      }),
    );
  });

  it('a title has its own words, however many are left out', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 5 }), (words) => {
        for (const word of words) expect(match(words.join(' '), word)).toBeDefined();
      }),
    );
  });
});
