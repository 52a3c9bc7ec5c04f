import { expect, it } from 'vitest';
import { commandLine } from '../../support/programs/command-line.ts';

const isFolder = (path: string) => path === '.slipway' || path === '/listener';

it('backup takes the usual data folder, or one that is named, and says what it wrote', async () => {
  const asked: unknown[] = [];
  const backups = {
    backUp: async (options: object) => {
      asked.push(options);
      return { files: 3, bytes: 1_234_567, databases: 2 };
    },
    restore: async () => Promise.reject(new Error('nothing is restored here')),
  };
  const made = await commandLine(['backup', '--to', '/b'], { backups, isFolder });
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining('3 (1.2 MB)') });
  expect(made.err).toMatch(/keys of all secrets.*restore --from \/b /);
  const named = ['backup', '--data-dir', '/listener', '--to', '/c', '--json'];
  expect(JSON.parse((await commandLine(named, { backups, isFolder })).out)).toEqual({
    backup: '/c',
    files: '3',
    bytes: '1234567',
    databases: '2',
  });
  expect(asked).toEqual([
    { dataFolder: '.slipway', to: '/b' },
    { dataFolder: '/listener', to: '/c' },
  ]);
});

it.each([
  ['backup', '--to FOLDER is required'],
  ['backup --to x --data-dir /none', 'There is no folder /none'],
  ['restore --from x', '--data-dir FOLDER is required'],
  ['restore --data-dir x', '--from FOLDER is required'],
  ['restore --from x --data-dir y --to z', "'restore' takes no --to"],
])('%s is refused: %s', async (line, words) => {
  const { code, err } = await commandLine(line.split(' '), { isFolder });
  expect(code).toBe(2);
  expect(err).toContain(words);
});
