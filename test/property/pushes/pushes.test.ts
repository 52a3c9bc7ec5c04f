import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globProblem } from '../../../lib/contract/push-paths.ts';
import { describeCommit } from '../../../lib/core/commit-words.ts';
import { branchOf } from '../../../lib/core/items/push-watches.ts';
import { repositoryName } from '../../../lib/domain/repository-name.ts';
import { lastConsidered } from '../../../lib/features/pushes/state.ts';

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
const host = fc.array(label, { minLength: 2, maxLength: 3 }).map((labels) => `${labels.join('.')}.example`);
const part = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,10}$/).filter((text) => !/\.git$/i.test(text));
const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const spelling = fc.constantFrom(
  (at: string, to: string) => `https://${at}/${to}`,
  (at: string, to: string) => `https://${at.toUpperCase()}/${to}.git`,
  (at: string, to: string) => `https://${at}:443/${to}/`,
  (at: string, to: string) => `https://user@${at}//${to}.git/`,
  (at: string, to: string) => `ssh://git@${at}/${to}.git`,
  (at: string, to: string) => `ssh://git@${at}:22/${to}`,
  (at: string, to: string) => `git@${at}:${to}.git`,
  (at: string, to: string) => `${at}:/${to}`,
  (at: string, to: string) => `git://${at}/${to}`,
);

describe('the name of a repository', () => {
  it('is the same for all spellings of its address', () => {
    fc.assert(
      fc.property(host, path, spelling, (at, to, spell) => {
        expect(repositoryName(spell(at, to))).toBe(`${at}/${to}`.toLowerCase());
      }),
    );
  });

  it('tells repositories apart', () => {
    fc.assert(
      fc.property(fc.tuple(host, path), fc.tuple(host, path), spelling, spelling, (one, other, a, b) => {
        const isSame = one.join('/').toLowerCase() === other.join('/').toLowerCase();
        expect(repositoryName(a(...one)) === repositoryName(b(...other))).toBe(isSame);
      }),
    );
  });

  it('is of a text that is an address alone, and never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(['string', 'undefined']).toContain(typeof repositoryName(text));
      }),
    );
    for (const text of ['', 'x', 'https://', 'https://git.example', 'http:///'])
      expect(repositoryName(text)).toBeUndefined();
  });
});

it('a branch is no tag and no commit', () => {
  const others = ['refs/tags/v1', 'a'.repeat(40), 'a'.repeat(64), undefined];
  expect(['main', 'refs/heads/a/b'].map(branchOf)).toEqual(['main', 'a/b']);
  expect(new Set(others.map(branchOf))).toEqual(new Set([undefined]));
});

describe('what was considered last', () => {
  const status = fc.constantFrom('queued' as const, 'resolving' as const, 'other' as const);
  const commit = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined });
  const history = fc
    .array(fc.record({ looksBack: fc.boolean(), isOfBranch: fc.boolean(), commit, status }), { maxLength: 6 })
    .map((all) => all.map((each, at) => ({ ...each, id: `r${all.length - at}`, number: all.length - at })));
  const noted = fc.option(fc.record({ commit: fc.constantFrom('a', 'b', 'c'), number: fc.nat(7) }), {
    nil: undefined,
  });

  it('is what came later: the note, or the newest revision that names its own source', () => {
    fc.assert(
      fc.property(history, noted, (revisions, note) => {
        const own = revisions.find(({ looksBack }) => !looksBack);
        const last = lastConsidered(revisions, note);
        if (note !== undefined && note.number >= (own?.number ?? 0))
          expect(last).toEqual({ is: 'commit', commit: note.commit });
        else if (own?.isOfBranch === false) expect(last).toEqual({ is: 'elsewhere' });
        else if (own?.commit !== undefined) expect(last).toEqual({ is: 'commit', commit: own.commit });
        else if (own?.status === 'queued') expect(last).toEqual({ is: 'waits', revisionId: own.id });
        else if (own?.status === 'resolving') expect(last).toEqual({ is: 'resolving' });
        else expect(last).toEqual(note ? { is: 'commit', commit: note.commit } : { is: 'unknown' });
      }),
    );
  });

  it('is not changed by running again what ran before', () => {
    fc.assert(
      fc.property(history, noted, commit, (revisions, note, again) => {
        const number = revisions.length + 1;
        const ran = { looksBack: true, isOfBranch: true, commit: again, status: 'other' as const };
        const rollback = { id: 'x', number, ...ran };
        expect(lastConsidered([rollback, ...revisions], note)).toEqual(lastConsidered(revisions, note));
      }),
    );
  });
});

describe('what a commit says', () => {
  it('stays short and on one line, whatever it is', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    fc.assert(
      fc.property(text, text, (message, author) => {
        const said = describeCommit({ message, author, at: '2026-01-01T00:00:00Z' });
        expect(Array.from(said?.message ?? '').length).toBeLessThanOrEqual(120);
        expect(Array.from(said?.author ?? '').length).toBeLessThanOrEqual(60);
        expect(JSON.stringify(said)).not.toMatch(/\\[nrt]/);
      }),
    );
  });

  it('is nothing where its time is none', () => {
    expect(describeCommit({ message: 'a', author: 'b', at: 'yesterday' })).toBeUndefined();
  });
});

it.each([
  ['services/api/**', true],
  ['**/*.{ts,tsx}', true],
  ['a+b/c@d/[a-z]?.md', true],
  ['/a', false],
  ['a/../b', false],
  ['a//b', false],
  ['!a', false],
  ['+(a|b)', false],
  ['a\\b', false],
  ['**/a/**/b/**', false],
  ['*a*a*a*a*', false],
])('the glob %s is taken: %s', (glob, isTaken) => {
  expect(globProblem(glob) === undefined).toBe(isTaken);
});
