import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECRETS_SIZE_BYTES_MAX } from '../../../lib/contract/deployments/secrets.ts';
import { LongestMatches } from '../../../lib/contract/longest-matches.ts';
import { createMask, formsOf } from '../../../lib/contract/mask.ts';
import { growth, SUPER_LINEAR } from '../../support/growth.ts';

/** Few letters, so that forms begin, end and lie in each other. */
const value = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r'), minLength: 8, maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom('a', 'é', '"', '%', '+', ' ', '\u{1f642}'),
    minLength: 8,
    maxLength: 20,
  }),
);
const values = fc.array(value, { minLength: 1, maxLength: 4 });
const rest = fc.string({ unit: fc.constantFrom('a', 'b', '%', '4', '1', '+', 'é', ' ') });

/** What every mask has replaced since there are masks. */
const plainForms = (secret: string): string[] =>
  [secret, ...secret.split(/\r\n|\r|\n/), JSON.stringify(secret).slice(1, -1)].filter(
    ({ length }) => length >= 8,
  );

const encodedForms = (secret: string): string[] => [
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('hex').toUpperCase(),
];

const percentEncodedForms = (secret: string): string[] => [
  encodeURIComponent(secret).replace(/%../g, (escaped) => escaped.toLowerCase()),
  encodeURI(secret),
  new URLSearchParams({ '': secret }).toString().slice(1),
  Array.from(Buffer.from(secret), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
];

describe('a mask', () => {
  it('leaves no form of a value, wherever it is', () => {
    fc.assert(
      fc.property(values, rest, rest, (secrets, before, after) => {
        const mask = createMask(secrets);
        for (const form of secrets.flatMap((secret) => [...plainForms(secret), ...encodedForms(secret)])) {
          expect(mask(`${before}${form}${after}`)).not.toContain(form);
          expect(mask(form)).toMatch(/^(?:\*\*\*)+$/);
        }
      }),
    );
  });

  it('finds a value however it is percent-encoded', () => {
    fc.assert(
      fc.property(values, (secrets) => {
        const mask = createMask(secrets);
        for (const form of secrets.flatMap(percentEncodedForms)) {
          expect(mask(`a=${form}&b=${form}`)).not.toContain(form);
          expect(mask(form)).toMatch(/^(?:\*\*\*)+$/);
        }
      }),
    );
  });

  it('finds a value inside of base64, wherever it begins', () => {
    const coding = fc.constantFrom<BufferEncoding>('base64', 'base64url');
    fc.assert(
      fc.property(
        value,
        fc.string({ maxLength: 5 }),
        fc.string({ maxLength: 5 }),
        coding,
        (secret, ...around) => {
          const [before, after, code] = around;
          const text = Buffer.from(before + secret + after).toString(code);
          const shown = createMask([secret])(text);
          // Characters that it shares with what is around it stay.
          expect(shown).toMatch(/^[\w+/=-]*\*\*\*[\w+/=-]*$/);
          const aroundLength = Buffer.from(before + after).toString('base64').length;
          expect(shown.length).toBeLessThanOrEqual(aroundLength + '***'.length + 8);
        },
      ),
    );
  });

  it('replaces what forms cover, and nothing else', () => {
    const form = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 8, maxLength: 12 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 });
    const parts = fc.array(fc.oneof(form, text), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(form, { minLength: 1, maxLength: 5 }), parts, (secrets, pieces) => {
        const all = [...pieces, ...secrets].join('c');
        expect(createMask(secrets)(all)).toBe(coveredOneByOne(all, secrets));
      }),
    );
  });

  it('is the same for short texts before and after a long one', () => {
    const secrets = ['short-value', `${'long-'.repeat(500)}value`];
    const mask = createMask(secrets);
    for (const text of [`a short-value`, `a ${secrets[1]} b`, 'a short-value', `${secrets[1]}`]) {
      expect(mask(text)).toBe(createMask(secrets)(text));
      expect(mask(text)).toContain('***');
    }
  });
});

/** The same by looking for one form after the other. */
function coveredOneByOne(text: string, forms: readonly string[]): string {
  const ranges = forms.flatMap((form) => {
    const starts = Array.from(text, (_, at) => at).filter((at) => text.startsWith(form, at));
    return starts.map((start) => ({ start, end: start + form.length }));
  });
  let shown = '';
  let covered = 0;
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (range.start >= covered) shown += `${text.slice(covered, range.start)}***`;
    covered = Math.max(covered, range.end);
  }
  return shown + text.slice(covered);
}

const secretsOf: Record<string, (length: number) => string[]> = {
  'many lines': (length) => [
    Array.from({ length: length / 9 }, (_, at) => String(at).padStart(8, 'x')).join('\n'),
  ],
  'lines inside each other': (length) => [
    Array.from({ length: Math.sqrt(length * 2) }, (_, at) => 'a'.repeat(at)).join('\n'),
  ],
  'one line of one letter': (length) => ['a'.repeat(length)],
  'random bytes': (length) => [randomBytes(length).toString('latin1').replaceAll('\0', ' ')],
  'control characters': (length) => ['\u0001'.repeat(length)],
  'per cent signs': (length) => ['%41'.repeat(length / 3)],
  'lines with many beginnings': (length) => [
    Array.from({ length: length / 10 }, (_, at) => `${String.fromCharCode(0x100 + at)}aaaaaaa`).join('\n'),
  ],
};

describe('masking grows as the values and as the text', () => {
  it.each(Object.keys(secretsOf))('with secrets of %s', (name) => {
    const make = secretsOf[name];
    expect(
      growth(4_000, (length) => {
        const secrets = make?.(length) ?? [];
        return () => createMask(secrets)('x'.repeat(length));
      }),
    ).toBeLessThan(SUPER_LINEAR);
  });

  it.each(Object.keys(secretsOf))('with texts like secrets of %s', (name) => {
    const secrets = secretsOf[name]?.(8_000) ?? [];
    const mask = createMask(secrets);
    // Both are longer than the secret: a shorter one holds no match, and takes a fraction of the time.
    expect(
      growth(16_000, (length) => {
        const [text = ''] = secretsOf[name]?.(length) ?? [];
        return () => mask(text);
      }),
    ).toBeLessThan(SUPER_LINEAR);
  });

  it.each(Object.keys(secretsOf))('in memory too: secrets of %s', (name) => {
    const secrets = secretsOf[name]?.(SECRETS_SIZE_BYTES_MAX) ?? [];
    const valueBytes = Buffer.byteLength(secrets.join(''));
    const forms = secrets.flatMap(formsOf);
    const formBytes = forms.reduce((sum, { length }) => sum + length, 0);
    // The value, its lines, twice base64 at three places and whole, twice hex, per cent; in JSON six times.
    expect(formBytes).toBeLessThanOrEqual(valueBytes * (2 + 2 * (6 * (4 / 3)) + 2 * 2 + 3 + 8) + 100);
    const matches = new LongestMatches(forms);
    expect(matches.nodes).toBeLessThanOrEqual(formBytes + 1);
    expect(matches.sizeBytes).toBe((formBytes + 2) * 13);
  });
});
