import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as tar from 'tar';
import { describe, expect, it } from 'vitest';
import type { BuildVariable } from '../../../lib/adapters/builds.ts';
import { BuildFailure } from '../../../lib/builds/failure.ts';
import { refuseSecrets } from '../../../lib/builds/secret-search.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../support/files/write-files.ts';

const TOKEN = 'canary-of-a-private-registry';
const token: BuildVariable = { name: 'NPM_TOKEN', value: TOKEN };

/** The bytes that come through, in chunks of this size. */
async function passed(bytes: Buffer, secrets: readonly BuildVariable[], chunk = 64 * 1024): Promise<Buffer> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, at) =>
    bytes.subarray(at * chunk, (at + 1) * chunk),
  );
  const out: Buffer[] = [];
  await pipeline([Readable.from(chunks), ...refuseSecrets(secrets), collect(out)]);
  return Buffer.concat(out);
}

const collect = (out: Buffer[]): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      out.push(chunk);
      done();
    },
  });

async function packed(files: Files): Promise<Buffer> {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  return Buffer.concat(await Readable.from(tar.create({ cwd: folder, portable: true }, ['.'])).toArray());
}

describe('what a build has made', () => {
  it('passes as it is when it holds no value, also with files that are empty', async () => {
    const bytes = await packed({ 'a.txt': 'canary-of-a-private', empty: '', 'b/c.bin': 'x'.repeat(200_000) });
    expect((await passed(bytes, [token])).equals(bytes)).toBe(true);
    expect(refuseSecrets([])).toEqual([]);
  });

  it.each([100, 512, 1024, 1_000_000])('fails by the name of the file, in chunks of %i', async (chunk) => {
    const text = `${'x'.repeat(900)}${TOKEN}`;
    const bytes = await packed({ 'a.txt': 'x'.repeat(2000), 'z/.npmrc': text });
    await expect(passed(bytes, [{ name: 'OTHER', value: 'y'.repeat(99) }, token], chunk)).rejects.toThrow(
      /^The build has left the value of the build secret NPM_TOKEN in the file z\/\.npmrc, /,
    );
  });

  it('fails for a value in a name or in what a link leads to, and masks it', async () => {
    for (const files of [{ [join('a', TOKEN)]: '' }, { a: { link: `x/${TOKEN}` } }]) {
      const failing = passed(await packed(files), [token]);
      await expect(failing).rejects.toThrow(BuildFailure);
      await expect(failing).rejects.not.toThrow(TOKEN);
    }
  });

  it('may hold values of less than 8 characters, and parts of longer ones', async () => {
    const bytes = await packed({ 'a.txt': 'short and canary-of-a-private-registr' });
    const secrets = [{ name: 'SHORT', value: 'short' }, token];
    expect((await passed(bytes, secrets)).equals(bytes)).toBe(true);
  });

  it('fails for a value of several lines as a whole alone', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nabcdefghijkl\n-----END PRIVATE KEY-----\n';
    const secrets = [{ name: 'KEY', value: key }];
    const alike = await packed({ 'a.pem': key.replace('abc', 'xyz') });
    expect((await passed(alike, secrets)).equals(alike)).toBe(true);
    await expect(passed(await packed({ 'a.pem': key }), secrets)).rejects.toThrow('the file a.pem');
  });
});
