import { describe, expect, it } from 'vitest';
import type { Installations } from '../../../lib/cli/installation.ts';
import { commandLine } from '../../support/programs/command-line.ts';

const asked: unknown[] = [];
const run = (line: string, installations: Partial<Installations>) => {
  asked.length = 0;
  const none = async () => undefined;
  const nothing = async () => ({ table: [], lacking: [] });
  return commandLine(line.split(' '), {
    installations: { settings: none, preflight: nothing, ...installations },
  });
};

describe('settings', () => {
  const settings: Installations['settings'] = async (at) => {
    asked.push(at);
    return { shown: { rateLimit: '5', compute: 'fargate' }, from: 'Remembered.' };
  };

  it('prints what is remembered, of the installation that is named', async () => {
    expect(await run('settings --environment staging --region eu-west-1', { settings })).toEqual({
      code: 0,
      out: 'compute    fargate\nrateLimit  5',
      err: expect.stringMatching(/^Remembered\. .*-c name=none/),
    });
    expect(asked).toEqual([{ environment: 'staging', region: 'eu-west-1' }]);
    expect(JSON.parse((await run('settings --json', { settings })).out)).toEqual({
      rateLimit: '5',
      compute: 'fargate',
    });
    expect(asked).toEqual([{ environment: 'prod', region: undefined }]);
  });

  it('says when there is no such installation, or nothing but defaults', async () => {
    expect(await run('settings', {})).toMatchObject({ code: 1, err: /^There is no installation 'prod'/ });
    const bare = async () => ({ shown: {}, from: '' });
    expect((await run('settings', { settings: bare })).out).toBe('Settings  all at their defaults');
  });
});

describe('preflight', () => {
  it('prints its table, and fails where something is missing', async () => {
    const preflight: Installations['preflight'] = async (at, compute) => {
      asked.push(at, compute);
      return { table: ['a table'], lacking: compute === undefined ? [] : ['zones'] };
    };
    expect(await run('preflight', { preflight })).toEqual({ code: 0, out: 'a table', err: '' });
    expect(await run('preflight --compute fargate', { preflight })).toEqual({
      code: 1,
      out: 'a table',
      err: 'A deploy would end here: zones.',
    });
    expect(asked).toEqual([{ environment: 'prod', region: undefined }, 'fargate']);
  });

  it.each([
    ['settings --environment Prod', /--environment must be the name of an installation/],
    ['settings --compute fargate', /'settings' takes no --compute/],
    ['settings --table abc', /'settings' takes no --table/],
    ['preflight --compute lambda', /--compute must be fargate, not 'lambda'/],
    ['preflight --region=', /--region is empty/],
  ])('refuses %s', async (line, reason) => {
    expect(await run(line, {})).toMatchObject({ code: 2, err: expect.stringMatching(reason) });
  });
});
