import { describe, expect, it } from 'vitest';
import { createCommitStatuses } from '../../../lib/adapters/outbound/commit-statuses.ts';
import type { GuardedInit } from '../../../lib/adapters/outbound/guarded-fetch.ts';
import type { IntegrationType } from '../../../lib/contract/integration-types.ts';
import { until } from '../../support/until.ts';
import { GitHost } from '../../support/world/git-host.ts';
import { github, post, showRevision } from '../../support/world/requests.ts';
import { aRunningWorld } from '../../support/world/running-world.ts';
import * as steps from '../../support/world/steps.ts';

const COMMIT = 'c'.repeat(40);

/** A host that answers with this status, and what it was asked. */
function aHost(status = 201) {
  const asked: { url: string; init: GuardedInit | undefined }[] = [];
  const statuses = createCommitStatuses(async (url, init) => {
    asked.push({ url: String(url), init });
    return new Response('{}', { status });
  });
  return { asked, statuses };
}

const status = (type: IntegrationType, host: string) => ({
  ...{ type, host, token: 'a-token', repository: 'team/app', commit: COMMIT },
  ...{ state: 'failure' as const, context: 'slipway/app', description: 'Not deployed: BUILD_FAILED' },
});

describe('a commit status', () => {
  const said = { context: 'slipway/app', description: 'Not deployed: BUILD_FAILED' };
  it.each([
    [
      'github',
      'github.com',
      `https://api.github.com/repos/team/app/statuses/${COMMIT}`,
      'Bearer a-token',
      { ...said, state: 'failure' },
    ],
    [
      'github',
      'ghe.example',
      `https://ghe.example/api/v3/repos/team/app/statuses/${COMMIT}`,
      'Bearer a-token',
      { ...said, state: 'failure' },
    ],
    [
      'gitea',
      'git.example:8443',
      `https://git.example:8443/api/v1/repos/team/app/statuses/${COMMIT}`,
      'token a-token',
      { ...said, state: 'failure' },
    ],
    [
      'gitlab',
      'gitlab.com',
      `https://gitlab.com/api/v4/projects/team%2Fapp/statuses/${COMMIT}`,
      'Bearer a-token',
      { state: 'failed', name: said.context, description: said.description },
    ],
    [
      'bitbucket',
      'bitbucket.org',
      `https://api.bitbucket.org/2.0/repositories/team/app/commit/${COMMIT}/statuses/build`,
      'Bearer a-token',
      {
        ...{ state: 'FAILED', key: said.context, name: said.context, description: said.description },
        url: `https://bitbucket.org/team/app/commits/${COMMIT}`,
      },
    ],
  ] as const)('goes to the API of %s on %s', async (type, host, url, authorization, body) => {
    const { asked, statuses } = aHost();
    await statuses.set(status(type, host));
    expect(asked.map((each) => [each.url, each.init?.method, each.init?.headers?.authorization])).toEqual([
      [url, 'POST', authorization],
    ]);
    expect(JSON.parse(String(asked[0]?.init?.body))).toEqual(body);
  });

  it('that the token may not set is left out, and a host that is broken is said', async () => {
    for (const refused of [401, 403, 404]) await aHost(refused).statuses.set(status('github', 'github.com'));
    await expect(aHost(502).statuses.set(status('github', 'github.com'))).rejects.toThrow(
      'github.com answered HTTP 502',
    );
  });
});

describe('a revision', () => {
  it('is pending, then what it came to, at the host of its commit', async () => {
    const world = await aRunningWorld();
    const host = new GitHost(world);
    host.heads.set('https://git.example/team/app.git main', COMMIT);
    const seen: unknown[] = [];
    world.deps.commitStatuses = {
      set: async ({ type, token, ...rest }) => {
        expect([type, token]).toEqual(['github', 'a-token']);
        seen.push(rest);
        // Whatever a host answers changes nothing of the revision.
        throw new Error('the host is down');
      },
    };
    const { id: integration_id } = await host.integrate();
    const source_config = { repo_url: 'https://git.example/team/app.git', integration_id };
    const { id, latest_revision_id: revisionId } = await post(world, github('app', { source_config }));
    await steps.deploy(world, id, revisionId);
    const of = { host: 'git.example', repository: 'team/app', commit: COMMIT, context: 'slipway/app' };
    await until(() => seen.length >= 2, { what: 'the last status' });
    expect(seen).toEqual([
      { ...of, state: 'pending', description: 'Being built and deployed' },
      { ...of, state: 'success', description: 'Deployed' },
    ]);
    expect((await showRevision(world, id, revisionId)).status).toBe('DEPLOYED');
  });

  it('of another host than the integration’s is said to nobody', async () => {
    const world = await aRunningWorld();
    const host = new GitHost(world);
    host.heads.set('https://elsewhere.example/team/app.git main', COMMIT);
    let calls = 0;
    world.deps.commitStatuses = {
      set: async () => {
        calls += 1;
      },
    };
    const { id: integration_id } = await host.integrate();
    const source_config = { repo_url: 'https://elsewhere.example/team/app.git', integration_id };
    const { id, latest_revision_id: revisionId } = await post(world, github('app', { source_config }));
    await steps.deploy(world, id, revisionId);
    expect(calls).toBe(0);
  });
});
