import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gitRepositoryIn } from '../support/files/git-repository.ts';
import type { Files } from '../support/files/write-files.ts';
import { HTTP_ALONE, helloFiles, packageJson } from '../support/programs/hello-server.ts';
import {
  create,
  deployed,
  ended,
  endProgram,
  expectApi,
  helloFrom,
  type Program,
  patch,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** Long enough for a good revision on a busy machine; the two cases that hang wait for it side by side. */
const LIMIT_SECONDS = 60;

let program: Program;
let folder: string;
beforeAll(async () => {
  program = await startProgram({
    environment: {
      SLIPWAY_BUILD_SECONDS: String(LIMIT_SECONDS),
      SLIPWAY_START_TIMEOUT_SECONDS: String(LIMIT_SECONDS),
      SLIPWAY_DRAIN_SECONDS: '0.2',
    },
  });
  folder = await mkdtemp(join(tmpdir(), 'slipway-bad-input-'));
  for (const bad of cases.filter((one) => one.hangs)) begun.set(bad.what, begin(bad));
});
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

/** What each bad thing says aloud; it is also the value of a secret of its deployment. */
const SECRET = 'hush-7f3a91c2d4';

type Bad = {
  what: string;
  /** What is committed over the good files. */
  files?: Files;
  source_config?: { repo_url?: string; install_command?: string };
  source_revision_config?: { repo_ref?: string; graph_config_path?: string };
  /** It takes as long as its limit: begun before the others. */
  hangs?: boolean;
  status: 'BUILD_FAILED' | 'DEPLOY_FAILED';
  /** The reason, and a line of the real output, the secret in it masked. */
  message: RegExp;
  /** Which log ends with the cause. */
  log: 'build_logs' | 'deploy_logs';
};

const build = { status: 'BUILD_FAILED', log: 'build_logs' } as const;
const deploy = { status: 'DEPLOY_FAILED', log: 'deploy_logs' } as const;

const server = (text: string): Files => ({ 'package.json': packageJson({}), 'server.js': text });
const speak = (words: string) => `console.log('${words} ' + process.env.TOKEN);`;

const cases: Bad[] = [
  {
    ...build,
    what: 'a repository that cannot be cloned',
    source_config: { repo_url: pathToFileURL(join(tmpdir(), `nothing-${SECRET}`)).href },
    message:
      /^Repository file:\/\/\S+nothing-\*\*\* cannot be read: [^]*does not appear to be a git repository/,
  },
  {
    ...build,
    what: 'a ref that does not exist',
    source_revision_config: { repo_ref: `no-such-${SECRET}` },
    message: /^Ref 'no-such-\*\*\*' does not exist in file:\S+; branches there: main$/,
  },
  {
    ...build,
    what: 'a config path that leads out through a link',
    files: { [`out-${SECRET}`]: { link: '/etc' } },
    source_revision_config: { graph_config_path: `out-${SECRET}/hostname` },
    message: /^Config path 'out-\*\*\*\/hostname' leads out of the source$/,
  },
  {
    ...build,
    what: 'a build that exits with 1',
    files: {
      'package.json': packageJson({ build: 'node build.mjs' }),
      // On one stream: of two, nobody knows which is read first.
      'build.mjs': `console.error('compiling'); console.error('error: token ${SECRET} is unknown'); process.exit(1);`,
    },
    message: /^`npm run build` exited with code 1:\n[^]*^compiling\nerror: token \*\*\* is unknown$/m,
  },
  {
    ...deploy,
    what: 'a server that exits at once',
    files: server(`${speak('cannot connect with')} process.exit(3);`),
    message: /^The server exited with code 3\.[^]*\ncannot connect with \*\*\*$/,
  },
  {
    ...deploy,
    what: 'a server that listens on another port',
    files: server(`${HTTP_ALONE} ${speak('here with')}
      const server = createServer((_, response) => response.end('ok')).listen(0, () => {
        // The system may happen to give the very port that it should listen on.
        if (String(server.address().port) === process.env.PORT) server.close(() => server.listen(0));
      });`),
    message: /^It listens on port \d+ instead of PORT=\d+\.[^]*\nhere with \*\*\*$/,
  },
  {
    ...build,
    what: 'an install that hangs',
    hangs: true,
    files: { 'install.mjs': `console.log('waiting for ${SECRET}'); setInterval(() => {}, 1000);` },
    source_config: { install_command: 'node install.mjs' },
    message: new RegExp(
      `^The build was ended in step 'install' because it took longer than ${LIMIT_SECONDS} s:\\nwaiting for \\*\\*\\*$`,
    ),
  },
  {
    ...deploy,
    what: 'a server that never answers /ok',
    hangs: true,
    files: server(`${HTTP_ALONE} ${speak('loading')}
      createServer((_, response) => response.writeHead(503).end()).listen(process.env.PORT);`),
    message: new RegExp(
      `^The server was not ready within ${LIMIT_SECONDS} s: GET /ok answers 503\\.[^]*\\nloading \\*\\*\\*$`,
    ),
  },
];

type Begun = { made: ShownDeployment; goodUrl: string };
const begun = new Map<string, Promise<Begun>>();

/** Creates a deployment of the bad thing. */
async function begin({ what, files, source_config, source_revision_config }: Bad): Promise<Begun> {
  const name = what.replaceAll(/\W+/g, '-');
  const repository = await gitRepositoryIn(await mkdtemp(join(folder, 'r-')), await helloFiles());
  const goodUrl = repository.url;
  if (files !== undefined) {
    repository.git('checkout', '--quiet', '-b', 'bad');
    await repository.commit(files);
  }
  const made = await create(program, name, goodUrl, {
    source_config: { repo_url: goodUrl, ...source_config },
    source_revision_config: { repo_ref: files === undefined ? 'main' : 'bad', ...source_revision_config },
    secrets: [
      { name: 'TOKEN', value: SECRET },
      { name: 'GREETING', value: 'good' },
    ],
  });
  return { made, goodUrl };
}

it.each(cases)('$what ends with its reason, and a good revision after it deploys', async (bad) => {
  const { made, goodUrl } = await (begun.get(bad.what) ?? begin(bad));
  const failed = await ended(program, made.id, made.latest_revision_id);
  expect(failed.status_message).toMatch(bad.message);
  expect(failed.status).toBe(bad.status);
  expect(failed.status_message).toContain('***');
  expect(JSON.stringify(failed.status_message)).not.toContain(SECRET);

  // Clients show the end of the log alone.
  const path = `/v1/projects/${made.id}/revisions/${made.latest_revision_id}/${bad.log}`;
  type Page = { logs: { level: string; message: string }[] };
  const [firstLine = ''] = (failed.status_message ?? '').split('\n');
  const cause = firstLine.replace(/:$| Its last lines of output:$/, '');
  let logs: Page['logs'] = [];
  // A listener waits some seconds for its last lines and reports the end; they may come later.
  await until(
    async () => {
      ({ logs } = await expectApi<Page>(program, 'POST', path, { limit: 1000 }, 200));
      return logs.at(-1)?.message === cause;
    },
    { what: () => `the cause '${cause}' at the end of ${JSON.stringify(logs)}` },
  );
  expect(logs.at(-1)?.level).toBe('ERROR');
  expect(logs.filter((one) => one.message === cause)).toHaveLength(1);
  expect(JSON.stringify(logs)).not.toContain(SECRET);
  expect(JSON.stringify(logs)).not.toContain('x0a');

  const good = await patch(program, made.id, {
    source_config: { repo_url: goodUrl, install_command: '' },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'package.json' },
  });
  expect(await helloFrom(await deployed(program, good))).toMatchObject({ version: 'v1', greeting: 'good' });
});
