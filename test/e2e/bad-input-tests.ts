import { expect, it } from 'vitest';
import { gitRepository } from '../support/files/git-repository.ts';
import type { Files } from '../support/files/write-files.ts';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import {
  create,
  deployed,
  ended,
  expectApi,
  helloFrom,
  type Program,
  patch,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** What each bad thing says aloud; it is also the value of a secret of its deployment. */
const SECRET = 'hush-7f3a91c2d4';

type Bad = {
  what: string;
  /** What is committed over the good files. */
  files?: Files;
  source_revision_config?: { repo_ref: string };
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
    what: 'a ref that does not exist',
    source_revision_config: { repo_ref: `no-such-${SECRET}` },
    message: /^Ref 'no-such-\*\*\*' does not exist in file:\S+; branches there: main$/,
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
];

/** Creates a deployment of the bad thing. */
async function begin(program: Program, { what, files, source_revision_config }: Bad) {
  const name = what.replaceAll(/\W+/g, '-');
  const repository = await gitRepository(await helloFiles());
  if (files !== undefined) {
    repository.git('checkout', '--quiet', '-b', 'bad');
    await repository.commit(files);
  }
  return create(program, name, repository.url, {
    source_revision_config: { repo_ref: 'bad', ...source_revision_config },
    secrets: [
      { name: 'TOKEN', value: SECRET },
      { name: 'GREETING', value: 'good' },
    ],
  });
}

/** The reason reaches who asked, at each place where a revision can fail, and a secret in it does not. */
export function badInputTests(of: () => Program): void {
  it.each(cases)('$what ends with its reason, and a good revision after it deploys', async (bad) => {
    const program = of();
    const made = await begin(program, bad);
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
      source_revision_config: { repo_ref: 'main' },
    });
    expect(await helloFrom(await deployed(program, good))).toMatchObject({ version: 'v1', greeting: 'good' });
  });
}
