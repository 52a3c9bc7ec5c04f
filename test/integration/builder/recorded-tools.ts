import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';

/**
 * Tools that come first on the PATH until the test ends: each notes what it was called with in the file
 * `$NOTED`, then runs its lines of shell instead of what it would do. `without`: a tool that is on no folder
 * of the PATH.
 */
export async function recordedTools(tools: Record<string, string>, { without = '' } = {}) {
  const folder = await temporaryFolder();
  const noted = join(folder, 'calls');
  for (const [name, lines] of Object.entries(tools)) {
    const text = `#!/bin/sh\nset -e\nexport NOTED='${noted}'\necho "${name} $*" >>"$NOTED"\n${lines}\n`;
    await writeFile(join(folder, name), text, { mode: 0o755 });
  }
  const folders = (process.env.PATH ?? '').split(delimiter);
  const kept = folders.filter((one) => without === '' || !existsSync(join(one, without)));
  vi.stubEnv('PATH', [folder, ...kept].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  const calls = async () => (await readFile(noted, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return { folder, calls };
}
