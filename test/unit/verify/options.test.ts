import { describe, expect, it } from 'vitest';
import { newName } from '../../verify/environment.ts';
import { OptionsError, readWish } from '../../verify/options.ts';

describe('the options of npm run verify:aws', () => {
  it('name what is done', () => {
    const url = 'https://github.com/acme/agent.git';
    expect(readWish([])).toEqual({ kind: 'verify', repository: undefined, compute: undefined });
    expect(readWish(['--repo', url])).toMatchObject({ repository: { url, ref: 'main' } });
    expect(readWish(['--compute', 'fargate'])).toMatchObject({ kind: 'verify', compute: 'fargate' });
    expect(readWish(['--repo', url, '--ref', 'next'])).toMatchObject({ repository: { url, ref: 'next' } });
    expect(readWish(['-h'])).toEqual({ kind: 'help' });
  });

  it('let no other environment be removed than one that a run has made', () => {
    const name = newName();
    expect(readWish(['--clean', name])).toEqual({ kind: 'clean', environment: name });
    for (const other of ['prod', 'verify-', 'verify-prod-data', 'staging', 'verify-0123456789'])
      expect(() => readWish(['--clean', other])).toThrow(`not '${other}'`);
  });

  it.each([
    [['--repo', 'file:///srv/agent'], "not 'file:///srv/agent'"],
    [['--repo', ''], '--repo must be'],
    [['--ref', 'main'], '--ref goes with --repo'],
    [['--clean', 'verify-0a', '--repo', 'https://a.b/c'], '--clean goes alone'],
    [['--clean', 'verify-0a', '--compute', 'fargate'], '--clean goes alone'],
    [['--compute', 'ecs'], "--compute must be fargate, not 'ecs'"],
    [['--compute', 'fargate', '--repo', 'https://a.b/c'], '--repo goes without --compute'],
    [['--nothing'], '--nothing'],
    [['prod'], 'prod'],
  ])('refuse %j in words', (args, words) => {
    expect(() => readWish(args)).toThrow(OptionsError);
    expect(() => readWish(args)).toThrow(words);
  });
});
