import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../support/files/git-repository.ts';
import { jobFor, messageOf, setUp } from './set-up.ts';

/**
 * Runs a build of these files; gives all that a client reads of it, and what of this machine must not be in
 * it.
 */
async function said(files: Parameters<typeof gitRepository>[0]) {
  const { run, dataFolder } = await setUp();
  const repository = await gitRepository(files);
  const { state, log } = await run(jobFor(repository.url));
  // Where the source comes from is the client's own word.
  const read = [...log, messageOf(state)].join('\n').replaceAll(repository.url, '');
  return { read, ofThisMachine: [dataFolder, `${homedir()}/`, process.cwd()] };
}

const script = (build: string) =>
  JSON.stringify({ name: 'x', version: '1.0.0', scripts: { build, start: 'node .' } });

describe('nothing that a client reads of a build holds a path of this machine', () => {
  it.each<[string, Parameters<typeof gitRepository>[0], RegExp]>([
    [
      'a file that is a link to nothing',
      { 'package.json': { link: 'nowhere.json' } },
      /^package\.json is a link that leads nowhere$/m,
    ],
    [
      'output of a command that fails',
      {
        'package.json': script('pwd; echo $HOME/.npmrc; node fails.js'),
        'fails.js': 'throw new Error(__filename)',
      },
      /Error: \.\/fails\.js[\s\S]*~\/\.npmrc|~\/\.npmrc[\s\S]*Error: \.\/fails\.js/,
    ],
  ])('%s', async (_, files, expected) => {
    const { read, ofThisMachine } = await said(files);
    expect(read).toMatch(expected);
    for (const path of ofThisMachine) expect(read).not.toContain(path);
  });
});
