import { expect, it } from 'vitest';
import { gitRepository } from '../support/files/git-repository.ts';
import type { Files } from '../support/files/write-files.ts';
import { helloFiles, packageJson } from '../support/programs/hello-server.ts';
import { placesThatShow } from '../support/programs/nowhere.ts';
import { api, create, deployed, ended, expectApi, type Program, patch } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

const CANARY = 'canary-7f3a9c51d2';
const secrets = [{ name: 'CANARY', value: CANARY }];

/** A server that says its secret aloud, on both streams. */
async function talkative(): Promise<Files> {
  const files = await helloFiles('v1');
  const says = `console.log('I am ' + process.env.CANARY);\nconsole.error('still ' + process.env.CANARY);\n`;
  return { ...files, 'server.js': `${says}${String(files['server.js'])}` };
}

/** A server that dies of its secret. */
const dying = () =>
  helloFiles('v2', { 'server.js': "throw new Error('cannot connect with ' + process.env.CANARY);\n" });

/** A build that looks for secrets and fails. */
const failing = () => helloFiles('v3', { 'package.json': packageJson({ build: 'env; exit 3' }) });

const BUILD_CANARY = 'canary-of-builds-4e81b6';
const buildSecrets = [{ name: 'REGISTRY', value: `https://reader:${BUILD_CANARY}@npm.example/` }];
const say = `node -e "const url = process.env.REGISTRY; console.log(url, new URL(url).password, btoa(url), { url })"`;
const builds = (build: string) => helloFiles('v1', { 'package.json': packageJson({ build }) });

/** Builds that fail with a secret of theirs: in their last lines, in a file that they leave, in its name. */
const failingBuilds = [
  `${say} && exit 3`,
  `${say} && printenv REGISTRY >left.txt`,
  `node -e "fs.writeFileSync(encodeURIComponent(process.env.REGISTRY).slice(-40), process.env.REGISTRY)"`,
];

/** What the API shows of a deployment. */
const pathsOf = (id: string, revisionIds: readonly string[]): string[] => [
  ...['/v2/deployments', '/v2/audit-events', '/v2/events?after=0', `/v2/deployments/${id}`],
  `/v2/deployments/${id}/revisions`,
  ...revisionIds.flatMap((revisionId) => {
    const path = `/v2/deployments/${id}/revisions/${revisionId}`;
    const logs = ['build', 'deploy'].map((type) => `${path}/logs?type=${type}&limit=1000`);
    return [path, `${path}?include=configuration`, ...logs];
  }),
];

/** Needs a program that prints all it can. */
export function canaryTests(program: () => Program): void {
  it('a secret that builds print, fail with and leave is found nowhere', async () => {
    const repository = await gitRepository(await builds(say));
    const source_config = { repo_url: repository.url, build_secrets: buildSecrets };
    const made = await create(program(), 'built-with-secrets', repository.url, { source_config });
    await deployed(program(), made);
    const revisionIds = [made.latest_revision_id];
    for (const build of failingBuilds) {
      await repository.commit(await builds(build));
      const changed = await patch(program(), made.id, { source_revision_config: { repo_ref: 'main' } });
      const { status } = await ended(program(), made.id, changed.latest_revision_id);
      expect(status).toBe('BUILD_FAILED');
      revisionIds.push(changed.latest_revision_id);
    }
    const answers: unknown[] = [];
    for (const path of pathsOf(made.id, revisionIds)) {
      const { status, body, headers } = await api(program(), 'GET', path);
      expect([path, status]).toEqual([path, 200]);
      answers.push(body, [...headers]);
    }
    const wrong = { source_config: { build_secrets: [...buildSecrets, ...buildSecrets] } };
    const refused = await api(program(), 'PATCH', `/v2/deployments/${made.id}`, wrong);
    expect(refused.status).toBe(422);
    const shown = JSON.stringify([...answers, refused.body]);
    expect(shown).toContain('"build_secrets":[{"name":"REGISTRY","value":"**********"}]');
    expect(shown).toContain('in the file left.txt');
    expect(shown).toContain('*** *** *** { url:');
    const encoded = btoa(BUILD_CANARY).slice(0, -4);
    for (const form of [BUILD_CANARY, encoded]) expect(shown).not.toContain(form);
    expect(await placesThatShow(program(), [BUILD_CANARY, encoded])).toEqual([]);
  });

  it('a secret that servers print, fail with and that is sent wrongly is found nowhere but with its server', async () => {
    const repository = await gitRepository(await talkative());
    const made = await create(program(), 'talkative', repository.url, { secrets });
    await deployed(program(), made);
    const answers: unknown[] = [made];
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await api(program(), method, path, body);
      answers.push(answer.body, [...answer.headers]);
      return answer;
    };
    const path = `/v2/deployments/${made.id}`;
    const changed = () => patch(program(), made.id, { source_revision_config: { repo_ref: 'main' } });
    for (const files of [dying, failing]) {
      await repository.commit(await files());
      const { latest_revision_id: id } = await changed();
      const revision = await ended(program(), made.id, id);
      expect(revision.status).toMatch(/_FAILED$/);
      answers.push(revision);
      await ask('GET', `${path}/revisions/${id}/logs?type=build&limit=1000`);
      await ask('GET', `${path}/revisions/${id}/logs?type=deploy&limit=1000`);
    }
    // Requests with the secret in the wrong place, and too much of it.
    const wrong = [
      { name: 'bad name!', secrets, source_config: {}, source_revision_config: {} },
      { name: 'x', secrets: [{ name: 'A=B', value: CANARY }], source_config: {}, source_revision_config: {} },
      { name: 'x', secrets: [{ name: 'A', value: [CANARY] }], source_config: {}, source_revision_config: {} },
      { name: 'x', secrets: CANARY, source_config: {}, source_revision_config: {} },
    ];
    for (const body of wrong) expect((await ask('POST', '/v2/deployments', body)).status).toBe(422);
    expect((await ask('PATCH', path, { secrets: [...secrets, ...secrets] })).status).toBe(422);
    for (const read of [path, `${path}/revisions`, '/v2/deployments', '/v2/listeners', '/v2/audit-events']) {
      expect((await ask('GET', read)).status).toBe(200);
    }
    const logsPath = `/v1/projects/${made.id}/deploy_logs`;
    const said = async () => {
      const page = await expectApi<{ logs: { message: string }[] }>(
        program(),
        'POST',
        logsPath,
        { limit: 1000 },
        200,
      );
      return page.logs.map(({ message }) => message);
    };
    await until(async () => (await said()).includes('I am ***'), {
      what: 'what the server says',
    });
    answers.push(await said());

    expect(JSON.stringify(answers)).toContain('***');
    expect(JSON.stringify(answers)).not.toContain(CANARY);
    // Nor as a part of anything that is encoded.
    const encoded = Buffer.from(CANARY).toString('base64').slice(0, -4);
    expect(await placesThatShow(program(), [CANARY, encoded])).toEqual([]);
  });
}
