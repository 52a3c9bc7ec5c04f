import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * Tools that come first on the PATH until the test ends: each notes what it was called with, then runs its lines of shell instead of
 * what it would do.
 */
export async function recordedTools(tools: Record<string, string>) {
  const folder = await temporaryFolder();
  const noted = join(folder, 'calls');
  for (const [name, lines] of Object.entries(tools)) {
    const text = `#!/bin/sh\nset -e\necho "${name} $*" >>'${noted}'\n${lines}\n`;
    await writeFile(join(folder, name), text, { mode: 0o755 });
  }
  vi.stubEnv('PATH', [folder, process.env.PATH].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  const calls = async () => (await readFile(noted, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return { folder, calls };
}
