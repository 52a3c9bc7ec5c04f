import { Readable } from 'node:stream';
import fc from 'fast-check';
import { Parser } from 'tar';
import { describe, expect, it } from 'vitest';
import { ignoredIn } from '../../../console/logic/ignored.ts';
import { isSameResources, mergedResources, resourcesOf, specWith } from '../../../console/logic/resources.ts';
import { editsOf, isEdited, MASK, merged, secretsOf, secretsWish } from '../../../console/logic/secrets.ts';
import { isWanted, looksExecutable, type TarFile, tarOf } from '../../../lib/tar.ts';

/** What the library that unpacks uploads makes of a tar file. */
async function unpacked(
  pieces: Uint8Array[],
): Promise<{ path: string; text: string; mode: number; type: string }[]> {
  const found: { path: string; text: string; mode: number; type: string }[] = [];
  const parser = new Parser({
    onReadEntry: (entry) => {
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () =>
        found.push({
          path: entry.path,
          text: Buffer.concat(chunks).toString('hex'),
          mode: entry.mode ?? 0,
          type: entry.type,
        }),
      );
    },
  });
  await new Promise<void>((resolve, reject) => {
    parser.on('end', resolve);
    parser.on('error', reject);
    Readable.from([Buffer.concat(pieces)]).pipe(parser);
  });
  return found;
}

describe('the resources of a deployment', () => {
  const stored = { cpu: 1, memory_mb: 1024, labels: { team: 'a' }, queue_cpu: 2 };

  it('are sent as a whole, with what no field shows', () => {
    expect(specWith(stored, resourcesOf(stored))).toEqual(stored);
    expect(specWith(stored, { ...resourcesOf(stored), cpu: '', max_scale: ' 3 ' })).toEqual({
      memory_mb: 1024,
      labels: { team: 'a' },
      queue_cpu: 2,
      max_scale: 3,
    });
    expect(specWith({ cpu: 1 }, resourcesOf(null))).toEqual({});
  });

  it('of somebody else stay where one’s own are unchanged', () => {
    const before = resourcesOf(stored);
    const now = resourcesOf({ ...stored, memory_mb: 2048, cpu: 2 });
    const own = mergedResources({ ...before, cpu: '0.5' }, before, now);
    expect([own.cpu, own.memory_mb]).toEqual(['0.5', '2048']);
    expect(isSameResources(before, mergedResources(before, before, before))).toBe(true);
  });
});

describe('a tar file made in the browser', () => {
  it('is unpacked to the same files, whatever their names and sizes', async () => {
    const part = fc.stringMatching(/^[a-zA-Z0-9 äß日_-]{1,60}$/);
    const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    const file = fc.record({ path, bytes: fc.uint8Array({ maxLength: 1500 }), isExecutable: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(file, { selector: (each) => each.path, maxLength: 6 }),
        async (files: TarFile[]) => {
          const expected = files.map(({ path: name, bytes, isExecutable }) => ({
            path: name,
            text: Buffer.from(bytes).toString('hex'),
            mode: isExecutable === true ? 0o755 : 0o644,
            type: 'File',
          }));
          expect(await unpacked(tarOf(files))).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('leaves out files of secrets, wherever they are', () => {
    expect(['.env', 'apps/a/.env', '.env.local', 'a/.env.production'].filter(isWanted)).toEqual([]);
    const kept = ['.env.example', 'env.ts', '.envrc', 'src/.env.sample'];
    expect(kept.filter(isWanted)).toEqual(kept);
  });

  it('leaves out what tools install, and keeps scripts executable', () => {
    expect(['a.js', 'src/node_modules.ts', '.gitignore'].map(isWanted)).toEqual([true, true, true]);
    expect(['node_modules/x/a.js', 'a/.git/HEAD', 'a/.venv/b'].map(isWanted)).toEqual([false, false, false]);
    expect(looksExecutable(new TextEncoder().encode('#!/bin/sh'))).toBe(true);
    expect(looksExecutable(new Uint8Array())).toBe(false);
  });
});

it('what the service ignored is named in plain words, however it was cut', () => {
  expect(ignoredIn('env, source_config.branch, a%2C%20b, cut%E2%82')).toEqual([
    'env',
    'source_config.branch',
    'a, b',
    'cut%E2%82',
  ]);
  expect(ignoredIn('')).toEqual([]);
});

describe('secrets as they are edited', () => {
  it('keep their values unless new ones are given', () => {
    const edits = editsOf(['A', 'B']);
    expect(isEdited(edits)).toBe(false);
    expect(secretsOf(edits)).toEqual([
      { name: 'A', value: MASK },
      { name: 'B', value: MASK },
    ]);
    const changed = edits.map((edit) =>
      edit.name === 'A' ? { ...edit, value: 'new' } : { ...edit, isRemoved: true },
    );
    expect(isEdited(changed)).toBe(true);
    expect(secretsOf(changed)).toEqual([{ name: 'A', value: 'new' }]);
    expect(secretsWish(changed)).toEqual({ secrets: [{ name: 'A', value: 'new' }] });
    // An empty list would keep them.
    const none = edits.map((edit) => ({ ...edit, isRemoved: true }));
    expect(secretsWish(none)).toEqual({ clear_secrets: true });
  });

  it('never send the mask for what is not stored', () => {
    const name = fc.constantFrom('A', 'B', 'C', 'D');
    const names = fc.uniqueArray(name);
    const edit = fc.record({ name, value: fc.constantFrom('', 'x'), isRemoved: fc.boolean() });
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
