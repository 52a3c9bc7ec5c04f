import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { open, SealError, seal } from '../../../lib/adapters/envelope.ts';
import { openFileKeys } from '../../../lib/embedded/keys.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

const context = { tenant: 't-1', deployment: 'd-1' };

async function keyFile(): Promise<string> {
  return join(await temporaryFolder(), 'data', 'key');
}

describe('file keys', () => {
  it('makes 32 random bytes that only the owner can read, and nothing else', async () => {
    const path = await keyFile();
    await openFileKeys(path);
    expect((await readFile(path)).length).toBe(32);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(path, '..'))).toEqual(['key']);
  });

  it('opens what an earlier run sealed', async () => {
    const path = await keyFile();
    const sealed = await seal(await openFileKeys(path), 'hello', context);
    expect(await open(await openFileKeys(path), sealed, context)).toBe('hello');
  });

  it('gives all of many first openers the same key', async () => {
    const path = await keyFile();
    const all = await Promise.all(Array.from({ length: 8 }, () => openFileKeys(path)));
    const derived = all.map((keys) => Buffer.from(keys.deriveKey('test')).toString('hex'));
    expect(new Set(derived).size).toBe(1);
  });

  it('refuses a file of another size and leaves it as it is', async () => {
    const path = join(await temporaryFolder(), 'key');
    await writeFile(path, 'short');
    await expect(openFileKeys(path)).rejects.toThrow('is not 32 bytes long');
    expect(await readFile(path, 'utf8')).toBe('short');
    await chmod(path, 0o600);
  });

  it('derives different keys for different purposes, none of them the file itself', async () => {
    const path = await keyFile();
    const keys = await openFileKeys(path);
    const [a, b] = [keys.deriveKey('a'), keys.deriveKey('b')];
    expect(Buffer.from(a).equals(Buffer.from(b))).toBe(false);
    expect(Buffer.from(a).equals(await readFile(path))).toBe(false);
  });
});

describe('envelope', () => {
  it('gives back any text under its own context, whatever the order of the context', async () => {
    const keys = await openFileKeys(await keyFile());
    const contexts = fc.dictionary(fc.string(), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), contexts, async (text, own) => {
        const reversed = Object.fromEntries(Object.entries(own).reverse());
        expect(await open(keys, await seal(keys, text, own), reversed)).toBe(text.toWellFormed());
      }),
      { numRuns: 50 },
    );
  });

  it('never seals alike twice and shows nothing of the text', async () => {
    const keys = await openFileKeys(await keyFile());
    const [a, b] = [await seal(keys, 'secret text', context), await seal(keys, 'secret text', context)];
    expect(a).not.toBe(b);
    expect(a).not.toContain(Buffer.from('secret').toString('base64url'));
  });

  it.each([
    ['another tenant', { ...context, tenant: 't-2' }],
    ['a missing part', { tenant: 't-1' }],
    ['an additional part', { ...context, more: 'x' }],
    ['parts that only look alike joined', { tenant: 't-1', 'deployment":"d-1': '' }],
  ])('does not open under %s', async (_, other) => {
    const keys = await openFileKeys(await keyFile());
    const sealed = await seal(keys, 'hello', context);
    await expect(open(keys, sealed, other)).rejects.toThrow(SealError);
  });

  it('does not open with another key file', async () => {
    const sealed = await seal(await openFileKeys(await keyFile()), 'hello', context);
    await expect(open(await openFileKeys(await keyFile()), sealed, context)).rejects.toThrow(SealError);
  });

  it('notices any changed character', async () => {
    const keys = await openFileKeys(await keyFile());
    const sealed = await seal(keys, 'hello world', context);
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), async (at) => {
        // Base64's last character before padding or the end may carry unused bits; every other one counts.
        fc.pre(sealed.at(at) !== '=' && sealed.at(at + 1) !== '=' && at !== sealed.length - 1);
        const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
        await expect(open(keys, changed, context)).rejects.toThrow(SealError);
      }),
      { numRuns: 50 },
    );
  });

  it.each(['', 'v1', 'v1.a', 'v1..', 'v2.a.b', 'v1.a.b.c', 'plain text'])('refuses %j', async (sealed) => {
    const keys = await openFileKeys(await keyFile());
    await expect(open(keys, sealed, context)).rejects.toThrow(SealError);
  });
});
