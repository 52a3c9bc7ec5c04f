import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { BuildLog } from '../../../lib/embedded/builder/build-log.ts';
import { fetchCommit } from '../../../lib/embedded/builder/git-source.ts';
import type { GroupCommand } from '../../../lib/processes/group.ts';
import type { Processes } from '../../../lib/processes/run-command.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { gitRepositoryIn } from '../../support/files/git-repository.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { writeFiles } from '../../support/files/write-files.ts';

const supervisor = new ProcessSupervisor();
afterAll(() => supervisor.close());

const silent: BuildLog = {
  say: () => undefined,
  output: () => undefined,
  startTail: () => undefined,
  tail: () => [],
  mask: (text) => text,
  flush: async () => undefined,
};

/** The real git, for which a folder stands at https://git.example/; what it is started with is noted. */
function recorded(repositories: string): { processes: Processes; started: GroupCommand[] } {
  const started: GroupCommand[] = [];
  const instead = `url.${pathToFileURL(repositories).href}/.insteadOf=https://git.example/`;
  const processes: Processes = {
    start(command) {
      started.push(command);
      const environment = { ...command.environment, GIT_ALLOW_PROTOCOL: 'https:file' };
      return supervisor.start({ ...command, args: ['-c', instead, ...command.args], environment });
    },
    stop: (group, grace) => supervisor.stop(group, grace),
    stopKnown: (group, grace) => supervisor.stopKnown(group, grace),
  };
  return { processes, started };
}

async function repositoryWithSubmodule() {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'library/.keep': '', 'app/.keep': '' });
  const library = await gitRepositoryIn(join(folder, 'library'), { 'a.txt': 'of the library' });
  const app = await gitRepositoryIn(join(folder, 'app'), {
    '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = https://git.example/library\n',
  });
  app.git('update-index', '--add', '--cacheinfo', `160000,${library.git('rev-parse', 'HEAD')},lib`);
  app.git('commit', '--quiet', '--message=module');
  return { folder, commitSha: app.git('rev-parse', 'HEAD') };
}

describe('the token of an integration', () => {
  it.each([
    [false, undefined],
    [true, 'http.https://git.example/.extraHeader'],
  ])('goes to submodules of its host only when the integration says so: %s', async (submodules, key) => {
    const { folder: repositories, commitSha } = await repositoryWithSubmodule();
    const { processes, started } = recorded(repositories);
    const folder = await temporaryFolder();
    const repoUrl = 'https://git.example/app';
    const credentials = { host: 'git.example', token: 'the-token', submodules };
    const signal = AbortSignal.timeout(60_000);
    await fetchCommit(processes, { repoUrl, commitSha, credentials, folder, log: silent, signal });
    const keyOf = (word: string) =>
      started.find(({ args }) => args.includes(word))?.environment.GIT_CONFIG_KEY_0;
    expect([keyOf('fetch'), keyOf('submodule')]).toEqual([`http.${repoUrl}.extraHeader`, key]);
    expect(await readFile(join(folder, 'lib/a.txt'), 'utf8')).toBe('of the library');
  });
});
