import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { pack } from '../../../lib/cli/shell/folder-files.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

let folder: string;
beforeEach(async () => void (folder = await temporaryFolder()));

const put = (path: string, text = path) => writeFileSync(join(folder, path), text);
const packed = () => {
  const { bytes, files, left } = pack(folder, process.env);
  return { text: gunzipSync(bytes).toString('latin1'), files, left };
};

describe.each([
  ['a repository', true],
  ['a folder without git', false],
])('the source of %s', (_, isRepository) => {
  beforeEach(() => {
    if (isRepository) execFileSync('git', ['init', '-q'], { cwd: folder });
    put('.gitignore', 'keys\n');
    put('keys', 'the secret');
    put('agent.py');
  });

  it('has nothing that git ignores, nor by a link', () => {
    mkdirSync(join(folder, 'below'));
    put('below/shared.py', 'it is shared');
    symlinkSync('keys', join(folder, 'settings'));
    symlinkSync('below/shared.py', join(folder, 'own.py'));
    symlinkSync('/etc/hostname', join(folder, 'host'));
    const { text, files, left } = packed();
    expect(text).not.toContain('the secret');
    expect(text.split('it is shared')).toHaveLength(3);
    expect([files, left.toSorted()]).toEqual([4, ['host', 'settings']]);
  });

  it('that no build would take is refused before it is read', () => {
    put('weights.bin', '');
    truncateSync(join(folder, 'weights.bin'), 2 ** 40);
    expect(packed).toThrow(/is more than the 1024 MiB .*: weights\.bin has 1048576 MiB/s);
  });
});
