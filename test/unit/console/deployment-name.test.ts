import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameOf, nextName, suggestedName, typedName } from '../../../console/logic/deployment-name.ts';
import { deploymentName } from '../../../lib/features/deployments/shape.ts';

describe('the name of a new deployment', () => {
  it.each([
    ['https://github.com/harbor/Invoices.git', '', 'invoices'],
    ['git@github.com:harbor/invoice_reader.git', '', 'invoice_reader'],
    ['https://github.com/harbor/mono/', 'apps/reader', 'mono-reader'],
    ['file:///home/ada/Support Agent', '', 'support-agent'],
    ['ghcr.io/harbor/reader:1.4@sha256:00', '', 'reader'],
    ['https://github.com/', '', ''],
    ['', '', ''],
  ])('is taken from %s', (source, folder, name) => {
    expect(suggestedName({ source, folder })).toBe(name);
  });

  it.each([
    ['My Agent', 'my-agent'],
    ['Café Größe', 'cafe-gro-e'],
    ['  --x', 'x'],
    ['agent-', 'agent-'],
    ['日本', ''],
  ])('is corrected while %s is typed', (typed, name) => {
    expect(typedName(typed)).toBe(name);
  });

  it('is one that the API takes, or nothing, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const name = nameOf(text);
        expect(name === '' || deploymentName.safeParse(name).success).toBe(true);
        expect(typedName(typedName(text))).toBe(typedName(text));
      }),
    );
    expect(nameOf('x'.repeat(100_000))).toBe('x'.repeat(63));
  });

  it('is another one where it is taken', () => {
    expect(nextName('agent', [])).toBe('agent-2');
    expect(nextName('agent-2', ['agent-3'])).toBe('agent-4');
    expect(nextName('a'.repeat(63), [])).toBe(`${'a'.repeat(61)}-2`);
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9_-]{0,62}[a-z0-9]$/), (text) => {
        const name = nameOf(text);
        if (name !== '') expect(deploymentName.safeParse(nextName(name, [])).success).toBe(true);
      }),
    );
  });
});
