import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findPython, findPythons } from '../../../lib/processes/python/interpreters.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { writeFiles } from '../../support/files/write-files.ts';

/** Two folders of a PATH: the first one's Python answers too late once, as on a machine that is busy. */
async function slowThenPrompt() {
  const folder = await temporaryFolder();
  for (const name of ['PYENV_ROOT', 'XDG_DATA_HOME', 'UV_PYTHON_INSTALL_DIR']) vi.stubEnv(name, folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const says = (version: string) => `echo ${version}\necho "$0"\n`;
  const slow = `[ -e '${folder}/asked' ] || { : >'${folder}/asked'; exec /bin/sleep 600; }\n`;
  await writeFiles(folder, {
    'first/python3': `#!/bin/sh\n${slow}${says('3.97')}`,
    'second/python3': `#!/bin/sh\n${says('3.96')}`,
  });
  const paths = ['first', 'second'].map((name) => join(folder, name));
  for (const path of paths) await chmod(join(path, 'python3'), 0o755);
  return { folder, path: paths.join(':') };
}

const HURRY = [500, 60_000] as const;

it('what `python3` names stays the first choice where it answers late', async () => {
  const { path, folder } = await slowThenPrompt();
  expect((await findPythons(path, HURRY))[0]).toEqual({
    version: '3.97',
    executable: join(folder, 'first/python3'),
  });
});

it('an interpreter that answers late is not taken for one that is missing', async () => {
  const { path } = await slowThenPrompt();
  expect((await findPython('3.97', path, HURRY))?.version).toBe('3.97');
});
