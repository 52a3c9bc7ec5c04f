import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildSecretsWish,
  editsOf,
  isEdited,
  lengthText,
  MASK,
  merged,
  missingOf,
  newSecret,
  type SecretEdit,
  secretsOf,
  secretsWish,
  sentIndex,
  withAsked,
  withPasted,
} from '../../../console/logic/secrets.ts';

const removed = (edit: SecretEdit): SecretEdit => ({ ...edit, isRemoved: true });

describe('secrets as they are edited', () => {
  it('keep their values unless new ones are given', () => {
    const edits = editsOf(['A', 'B']);
    expect(isEdited(edits)).toBe(false);
    expect(secretsOf(edits)).toEqual([
      { name: 'A', value: MASK },
      { name: 'B', value: MASK },
    ]);
    const changed = edits.map((edit) => (edit.name === 'A' ? { ...edit, value: 'new' } : removed(edit)));
    expect(isEdited(changed)).toBe(true);
    expect(secretsWish(changed)).toEqual({ secrets: [{ name: 'A', value: 'new' }] });
    expect(buildSecretsWish(changed)).toEqual({ build_secrets: [{ name: 'A', value: 'new' }] });
    // An empty list would keep them.
    expect(secretsWish(edits.map(removed))).toEqual({ clear_secrets: true });
    expect(buildSecretsWish(edits.map(removed))).toEqual({ clear_build_secrets: true });
  });

  it('take what is pasted, where they stand, and come back by it', () => {
    const edits = [...editsOf(['A']).map(removed), newSecret('B')];
    const pasted = withPasted(edits, [
      { name: 'B', value: 'b' },
      { name: 'A', value: 'a' },
      { name: 'C', value: '' },
    ]);
    expect(secretsOf(pasted)).toEqual([
      { name: 'A', value: 'a' },
      { name: 'B', value: 'b' },
      { name: 'C', value: '' },
    ]);
  });

  it('have a row for each name that the project asks for, and say which have no value', () => {
    const asked = [{ name: 'A' }, { name: 'B' }];
    const edits = withAsked([newSecret('A', 'x'), newSecret('OF_ANOTHER')], asked);
    expect(edits.map(({ name }) => name)).toEqual(['A', 'B']);
    expect([missingOf(asked, edits), isEdited([newSecret('B')])]).toEqual([[{ name: 'B' }], false]);
    expect(missingOf(asked, editsOf(['A', 'B']))).toEqual([]);
    expect(missingOf(asked, editsOf(['A', 'B']).map(removed))).toEqual(asked);
  });

  it('are found by the place that a refusal names', () => {
    const edits = [newSecret('A'), newSecret('B', 'b'), newSecret('', 'c'), newSecret('D', 'd')];
    expect(edits.map((_, index) => sentIndex(edits, index))).toEqual([-1, 0, -1, 1]);
  });

  it('are known by their length alone', () => {
    expect([lengthText(''), lengthText('x'), lengthText('a\nb'), lengthText('y'.repeat(5000))]).toEqual([
      'Empty',
      '1 character',
      '3 characters, 2 lines',
      '5,000 characters',
    ]);
  });

  it('never send the mask for what is not stored', () => {
    const name = fc.constantFrom('A', 'B', 'C', 'D');
    const names = fc.uniqueArray(name);
    const edit = fc.record({ name, value: fc.constantFrom(null, 'x'), isRemoved: fc.boolean() });
    fc.assert(
      fc.property(
        names,
        fc.uniqueArray(edit, { selector: (each) => each.name }),
        names,
        (before, given, now) => {
          const edits = given.map((each) => ({ ...each, isStored: before.includes(each.name) }));
          const sent = secretsOf(merged(edits, now));
          expect(new Set(sent.map((each) => each.name)).size).toBe(sent.length);
          for (const each of sent) if (each.value === MASK) expect(now).toContain(each.name);
          // What somebody else has added stays, and own new values win.
          for (const added of now.filter((one) => !given.some((each) => each.name === one)))
            expect(sent).toContainEqual({ name: added, value: MASK });
          for (const own of given.filter((each) => !each.isRemoved && each.value === 'x'))
            expect(sent).toContainEqual({ name: own.name, value: 'x' });
        },
      ),
    );
  });
});
