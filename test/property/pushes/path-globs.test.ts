import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGlob } from '../../../lib/contract/path-globs.ts';
import { readingProblems } from '../../../lib/contract/push-paths.ts';
import { matcherOf, TooManySteps } from '../../../lib/features/pushes/touched-paths.ts';

function holds(globs: string | string[], path: string, max = Number.MAX_SAFE_INTEGER) {
  const matches = matcherOf([globs].flat());
  if ('problem' in matches) throw new Error(matches.problem);
  const steps = { count: 0, max };
  return { fits: matches(path, steps), steps: steps.count };
}

describe('a glob', () => {
  it.each([
    ['server.js', ['server.js'], ['lib/server.js', 'server.jsx', 'serverxjs']],
    ['*.lock', ['yarn.lock', '.lock'], ['lib/yarn.lock', 'yarn.lock.old']],
    ['services/api/**', ['services/api/a/.b/c', 'services/api/a', 'services/api'], ['services/apix/a']],
    ['**', ['a', 'a/b/.c'], []],
    ['**/b', ['b', 'a/b', 'a/a/b'], ['ab', 'b/a']],
    ['a/**/b', ['a/b', 'a/c/b', 'a/c/d/b'], ['b', 'a/bb', 'ab']],
    ['**/x/**', ['x', 'a/x/b', 'x/b'], ['ax/b']],
    ['*/**', ['a/b', 'a/b/c'], ['a']],
    ['src/*/**', ['src/a/b', 'src/a/b/c'], ['src/a', 'src']],
    ['a*/**', ['ab/c'], ['ab', 'b/c']],
    ['*/**/*.ts', ['a/b.ts', 'a/b/c.ts'], ['b.ts']],
    ['a**b', ['axb', 'ab'], ['a/b']],
    ['***', ['a'], ['a/b']],
    ['?.js', ['a.js', '..js', 'ä.js', '\u{1f600}.js'], ['.js', 'ab.js']],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'x', '[a-c]y']],
    ['[^a]x', ['bx', '\u{1f600}x'], ['ax', 'x']],
    ['[a-]', ['a', '-'], ['b']],
    ['[]a]', [']', 'a'], ['b']],
    ['[[:digit:]_]x', ['1x', '_x'], ['ax', ':x']],
    ['[*?]', ['*', '?'], ['a']],
    ['app/[slug]/page.ts', ['app/[slug]/page.ts', 'app/s/page.ts'], ['app/slug/page.ts']],
    ['{a,b}/c', ['a/c', 'b/c'], ['c/c', '{a,b}']],
    ['a.{js,ts}{,x}', ['a.js', 'a.tsx'], ['a.', 'a.jsy']],
    ['{a/b,c}/d', ['a/b/d', 'c/d'], ['a/d']],
    ['{a,{b,c/*}}', ['a', 'b', 'c/x'], ['c', '{b']],
    ['{a..c}x', ['ax', 'cx'], ['dx', '..x']],
    ['{c..a}x', ['bx'], ['dx']],
    ['{a}', ['{a}'], ['a']],
    ['{[,],a}', [',', 'a'], ['[']],
    ['a+b/c@d$', ['a+b/c@d$'], ['aab/c@d$']],
  ])('%s fits %j and not %j', (glob, fitting, others) => {
    expect(readingProblems([glob])).toEqual([]);
    expect(fitting.filter((path) => !holds(glob, path).fits)).toEqual([]);
    expect(others.filter((path) => holds(glob, path).fits)).toEqual([]);
  });

  it.each(['{a', 'a}', '[a', 'a]', '{a,[b}', '[a/b]', '{a,{b}', '[]', '[^]', '{10..20}', '{a..c..2}'])(
    '%s cannot be read: it is refused, and where it is stored fits itself alone',
    (glob) => {
      expect(readingProblems(['x', glob])).toMatchObject([{ index: 1 }]);
      expect(['x', glob, 'a', 'b'].map((path) => holds(['x', glob], path).fits)).toEqual([
        true,
        true,
        false,
        false,
      ]);
    },
  );

  it('stands for 64 globs at most, and so do all of a list', () => {
    const four = '{a,b,c,d}';
    expect(readGlob(`${four}${four}${four}`)).toMatchObject({ globs: { length: 64 } });
    const problem = 'with their braces written out, paths are at most 64';
    expect(readingProblems([`${four}${four}${four}{,x}`])).toEqual([{ index: 0, problem }]);
    expect(readingProblems([`${four}${four}${four}`, 'x'])).toEqual([{ problem }]);
    expect(matcherOf([`${four}${four}${four}`, 'x'])).toEqual({ problem });
    expect(matcherOf(['{,a}'.repeat(32)])).toEqual({ problem });
  });
});

describe('the steps of a match', () => {
  const ofA = (count: number) => 'a'.repeat(count);
  const adversarial: [string, (length: number) => [glob: string, path: string]][] = [
    ['stars in each part', (n) => ['*a*a*a/*a*a*a/*a*a*a/b', `${ofA(n)}/${ofA(n)}/${ofA(n)}/c`]],
    ['stars that almost fit', (n) => ['*aaaaaaaaab', ofA(n)]],
    ['any parts that almost fit', (n) => ['**/a/a/a/**/a/a/b', Array(n).fill('a').join('/')]],
    ['a class', (n) => ['*[ab][a-c][^d]d', ofA(n)]],
    ['braces', (n) => ['{a,b}{a,b}*{a,b}/{a,**}/c', `${ofA(n)}/${ofA(n)}`]],
  ];

  it.each(adversarial)('grow as a path does: %s', (_, of) => {
    const [once, twice] = [200, 400].map((length) => holds(...of(length)).steps);
    expect((twice ?? 0) / (once ?? 0)).toBeLessThan(2.2);
  });

  it('grow as a glob does', () => {
    const of = (count: number) => holds(`${'*aaaa'.repeat(count)}b`, ofA(1000)).steps;
    for (const count of [1, 2, 4, 8]) expect(of(count * 2) / of(count)).toBeLessThan(2.2);
  });

  it('stay below the product of both lengths, whatever they are', () => {
    const part = fc.array(fc.constantFrom('a', 'b', '*', '?', '[ab]'), { minLength: 1, maxLength: 8 });
    const glob = fc
      .array(fc.oneof(part, fc.constant(['**'])), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.map((each) => each.join('')).join('/'));
    const path = fc
      .array(fc.stringMatching(/^[ab]{1,30}$/), { minLength: 1, maxLength: 20 })
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(glob, path, (globText, pathText) => {
        const { steps } = holds(globText, pathText);
        // Each part is read in two ways where it may be a name.
        expect(steps).toBeLessThanOrEqual(2 * (globText.length + 1) * (pathText.length + 1));
      }),
    );
  });

  it('end where they are too many', () => {
    expect(() => holds('*aaab', ofA(1000), 500)).toThrow(TooManySteps);
  });
});
