import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cacheKey, nodeModulesKey } from '../../../lib/embedded/builder/cache-key.ts';
import { openDependencyCache } from '../../../lib/embedded/builder/dependency-cache.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

const keyOf = async (files: Record<string, string>, command = 'npm ci') => {
  const folder = await folderOf(files);
  return nodeModulesKey({ root: folder, folder }, command);
};
const packageJson = (more: object) => JSON.stringify({ dependencies: { a: '1' }, ...more });

describe('the key of node_modules', () => {
  it('follows from what is asked for and how, and from no other file', async () => {
    const files = { 'package.json': packageJson({}), 'package-lock.json': '{}' };
    const key = await keyOf(files);
    expect(key).toMatchObject({ key: { locked: true } });
    expect(await keyOf({ ...files, 'src/a.js': 'changed' })).toEqual(key);
    expect(await keyOf({ ...files, 'package-lock.json': '{ }' })).not.toEqual(key);
    expect(await keyOf(files, 'npm install')).not.toEqual(key);
    expect(await keyOf({ 'package.json': packageJson({}) })).toMatchObject({ key: { locked: false } });
    const bun = await keyOf({ 'package.json': packageJson({}), 'bun.lock': '1' });
    expect(bun).toMatchObject({ key: { locked: true } });
    expect(await keyOf({ 'package.json': packageJson({}), 'bun.lock': '2' })).not.toEqual(bun);
  });

  it.each([
    ['workspaces', { workspaces: ['a'] }, /workspaces/],
    ['a script that runs at an install', { scripts: { postinstall: 'patch-package' } }, /'postinstall'/],
    ['a dependency in the source', { dependencies: { b: 'file:../b' } }, /'b' lies in the source/],
  ])('is not made with %s', async (_, more, reason) => {
    expect(await keyOf({ 'package.json': packageJson(more) })).toEqual({
      not: expect.stringMatching(reason),
    });
  });
});

describe('the dependency cache', () => {
  async function open() {
    const processes = new ProcessSupervisor();
    onTestFinished(() => processes.close());
    const folder = await temporaryFolder();
    const cache = openDependencyCache({ folder, processes, signal: new AbortController().signal });
    const work = await folderOf({ 'modules/a/index.js': 'one' });
    return { cache, work, source: join(work, 'modules'), key: cacheKey(['x'], true) };
  }

  it('gives back what was stored, and nothing for another request', async () => {
    const { cache, work, source, key } = await open();
    expect(await cache.restore(key, join(work, 'first'))).toBeUndefined();
    expect(await cache.store(key, source)).toBe(true);
    expect(await cache.restore(key, join(work, 'again'))).toBeInstanceOf(Date);
    expect(await readFile(join(work, 'again/a/index.js'), 'utf8')).toBe('one');
    expect(await cache.restore(cacheKey(['y'], true), join(work, 'other'))).toBeUndefined();
    expect(await cache.dropIfChanged(key)).toBe(false);
  });

  it('forgets a tree that a build has written into', async () => {
    const { cache, work, source, key } = await open();
    await cache.store(key, source);
    await cache.restore(key, join(work, 'again'));
    await appendFile(join(work, 'again/a/index.js'), ' more');
    expect(await cache.dropIfChanged(key)).toBe(true);
    expect(await cache.restore(key, join(work, 'third'))).toBeUndefined();
  });
});
