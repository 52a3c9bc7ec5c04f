import { Readable } from 'node:stream';
import fc from 'fast-check';
import { Parser } from 'tar';
import { describe, expect, it } from 'vitest';
import { ignoredIn } from '../../../console/logic/ignored.ts';
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
