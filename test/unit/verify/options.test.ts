import { describe, expect, it } from 'vitest';
import { newName } from '../../verify/environment.ts';
import { OptionsError, readWish, secretsIn } from '../../verify/options.ts';

describe('the options of npm run verify:aws', () => {
  it('name what is done', () => {
    const url = 'https://github.com/acme/agent.git';
    expect(readWish([])).toEqual({
      kind: 'verify',
      repository: undefined,
      compute: undefined,
      secretsFile: undefined,
      stream: { seconds: 300, silentSeconds: 100 },
    });
    expect(readWish(['--secrets', 'a', '--stream-seconds', '60'])).toMatchObject({
      secretsFile: 'a',
      stream: { seconds: 60, silentSeconds: 20 },
    });
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
    [['--clean', 'verify-0a', '--secrets', 'a'], '--clean goes alone'],
    [['--stream-seconds', 'long'], "from 9 to 3000, not 'long'"],
    [['--nothing'], '--nothing'],
    [['prod'], 'prod'],
  ])('refuse %j in words', (args, words) => {
    expect(() => readWish(args)).toThrow(OptionsError);
    expect(() => readWish(args)).toThrow(words);
  });

  it('read secrets from a file, and quote none of its lines', () => {
    const text = '# stores\nREDIS_URI_CUSTOM=redis://u:p@h/0?a=b\n\n A1=b \n';
    expect(secretsIn(text)).toEqual([
      { name: 'REDIS_URI_CUSTOM', value: 'redis://u:p@h/0?a=b' },
      { name: 'A1', value: 'b' },
    ]);
    expect(() => secretsIn('A=1\nsecret')).toThrow(/number 2 is not\.$/);
  });
});
