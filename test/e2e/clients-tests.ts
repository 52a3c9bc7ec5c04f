import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../support/files/git-repository.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import { send } from '../support/http/raw-request.ts';
import { DeployCli, tarball } from '../support/programs/deploy-cli.ts';
import { waitInModule } from '../support/programs/gate.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  deployed,
  expectApi,
  helloFrom,
  type Program,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

const statusesOf = ({ status_history }: { status_history: { status: string }[] }) =>
  status_history.map(({ status }) => status);

/** Clients that are there already, byte for byte as they ask. */
export function clientsTests(program: () => Program): void {
  describe('a deploy CLI that uploads the source', () => {
    it('deploys it, deploys the next version, and finds the deployment again by its name', async () => {
      const cli = new DeployCli(program(), '/api-host');
      const secrets = [
        { name: 'GREETING', value: 'bonjour tout le monde' },
        { name: 'LANGGRAPH_HOST_API_KEY', value: program().apiKey },
      ];
      const first = await cli.deploy({
        name: 'uploaded',
        content: await tarball(await helloFiles()),
        secrets,
      });
      expect(first.revision.status_message).toBeNull();
      expect(statusesOf(first.revision)).toEqual(
        'CREATING QUEUED AWAITING_BUILD BUILDING AWAITING_DEPLOY DEPLOYING DEPLOYED'.split(' '),
      );
      expect(await helloFrom(first.deployment)).toMatchObject({
        version: 'v1',
        greeting: 'bonjour tout le monde',
      });

      const content = await tarball(await helloFiles('v2'));
      const second = await cli.deploy({ name: 'uploaded', content, secrets: [] });
      expect(second.deployment.id).toBe(first.deployment.id);
      expect(await helloFrom(second.deployment)).toMatchObject({
        version: 'v2',
        greeting: 'bonjour tout le monde',
      });

      const path = `/v2/deployments/${first.deployment.id}/revisions/${first.revision.id}/redeploy`;
      const back = await deployed(
        program(),
        await expectApi<ShownDeployment>(program(), 'POST', path, undefined, 200),
      );
      expect(await helloFrom(back)).toMatchObject({ version: 'v1', greeting: 'bonjour tout le monde' });
    });

    it('sees each line of the build once while it follows', async () => {
      const cli = new DeployCli(program());
      const gate = join(await temporaryFolder(), 'gate');
      const lines = Array.from({ length: 120 }, (_, n) => `console.log('line ${n}');`).join('\n');
      const files = await helloFiles('v1', {
        // A CLI reads the log only while the build runs: it runs until the last line was read.
        'build.js': `${lines}\n${waitInModule(gate)}`,
        'package.json': JSON.stringify({
          type: 'module',
          scripts: { start: 'node server.js', build: 'node build.js' },
        }),
      });
      const { followed, revision } = await cli.deploy({
        name: 'talker',
        content: await tarball(files),
        onLines: async (read) => {
          if (read.some(({ message }) => message === 'line 119')) await writeFile(gate, '');
        },
      });
      expect(revision.status).toBe('DEPLOYED');
      const said = followed.map(({ message }) => message).filter((message) => /^line \d+$/.test(message));
      expect(said).toEqual(Array.from({ length: 120 }, (_, n) => `line ${n}`));
      expect(new Set(followed.map(({ id }) => id)).size).toBe(followed.length);
    });
  });

  describe('the sample of the documentation', () => {
    /** With the header that it sends, and nothing of ours. */
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { 'x-api-key': program().apiKey, accept: 'application/json' };
      const { status, text } = await send(program(), {
        method,
        path,
        headers,
        ...(body !== undefined && { body }),
      });
      return { status, json: text === '' ? undefined : JSON.parse(text) };
    };

    it('creates, lists the revisions, polls, changes and deletes', async () => {
      const repository = await gitRepository(await helloFiles());
      repository.git('branch', 'feature');
      const created = await ask('POST', '/v2/deployments', {
        name: 'my_deployment',
        source: 'github',
        source_config: {
          integration_id: null,
          repo_url: repository.url,
          deployment_type: 'dev_free',
          build_on_push: false,
          custom_url: null,
          resource_spec: null,
        },
        source_revision_config: {
          repo_ref: 'main',
          langgraph_config_path: 'langgraph.json',
          image_uri: null,
        },
        secrets: [{ name: 'OPENAI_API_KEY', value: 'a-key-of-somebody' }],
      });
      expect(created).toMatchObject({ status: 201, json: { name: 'my_deployment', id: expect.any(String) } });
      const path = `/v2/deployments/${created.json.id}`;
      const newestEnds = async () => {
        const { json: page } = await ask('GET', `${path}/revisions`);
        return until(
          async () => {
            const { json } = await ask('GET', `${path}/revisions/${page.resources[0].id}`);
            return (
              ['DEPLOYED', 'CREATE_FAILED', 'BUILD_FAILED', 'DEPLOY_FAILED'].includes(json.status) &&
              json.status
            );
          },
          { what: 'the newest revision to end' },
        );
      };
      expect(await newestEnds()).toBe('DEPLOYED');
      const changed = await ask('PATCH', path, {
        source_config: { build_on_push: true },
        source_revision_config: { repo_ref: 'feature' },
      });
      expect(changed.status).toBe(200);
      expect(await newestEnds()).toBe('DEPLOYED');
      expect(await ask('DELETE', path)).toEqual({ status: 204, json: undefined });
      const gone = async () => (await ask('GET', path)).status === 404;
      await until(gone, { what: 'the deployment to be gone' });
    });
  });
}
