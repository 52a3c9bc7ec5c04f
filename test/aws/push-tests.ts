import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { expect, it } from 'vitest';
import { tarball } from '../support/programs/deploy-cli.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  api,
  create,
  deploymentOf,
  ended,
  expectApi,
  helloFrom,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { fromGitHub, pushPayload, SECRET } from '../support/world/git-host.ts';
import { clientConfig } from './aws-environment.ts';
import { COMMIT, reaches, storeFolder, type Tour } from './tour.ts';

/** Nothing outside is reached from here, so it is a repository that the build alone would read. */
const REPOSITORY = 'ssh://git@git.example.com/team/pushed.git';

type Delivery = {
  id: string;
  pending: boolean;
  revision_ids: string[];
  outcomes: { reason: string | null }[];
};

/** Pushes, from a delivery to what serves. */
export function pushTests(at: () => Tour): void {
  it('deploys what is pushed, once, whoever sends it again', async () => {
    const { slipway } = at();
    const ask = <T>(method: string, path: string, body: object | undefined, status: number) =>
      expectApi<T>(slipway, method, path, body, status);
    const access = { type: 'github', host: 'git.example.com', token: 'of-nothing' };
    const { id: integration_id } = await ask<{ id: string }>('POST', '/v2/integrations', access, 201);
    await ask('PATCH', `/v2/integrations/${integration_id}`, { webhook_secret: SECRET }, 200);
    const source_config = { repo_url: REPOSITORY, build_on_push: true, integration_id };
    const deployment = await create(slipway, 'built-on-push', REPOSITORY, { source_config });
    await built(at(), deployment.id, deployment.latest_revision_id, 'v1');
    const webhook = `${slipway.baseUrl}/v1/integrations/github/${integration_id}/webhook`;
    const deliver = async (secret = SECRET) => {
      const body = JSON.stringify(pushPayload({ address: 'https://git.example.com/Team/pushed' }));
      const headers = { 'content-type': 'application/json', ...fromGitHub(body, 'one', 'push', secret) };
      const answer = await fetch(webhook, { method: 'POST', headers, body });
      return { status: answer.status, body: (await answer.json()) as Delivery }; // as its row says
    };
    expect((await deliver('another')).status).toBe(401);
    const first = await deliver();
    expect(first).toMatchObject({ status: 200, body: { pending: true } });
    const deliveries = `/v2/integrations/${integration_id}/deliveries`;
    const latest = async () =>
      (await ask<{ resources: Delivery[] }>('GET', deliveries, undefined, 200)).resources[0];
    const isLookedAt = async () => (await latest())?.pending === false;
    await until(isLookedAt, { what: 'the head of the branch to be looked at' });
    const made = await latest();
    expect(await deliver()).toEqual({ status: 200, body: made });
    const [revisionId = ''] = made?.revision_ids ?? [];
    await built(at(), deployment.id, revisionId, 'v2');
    expect(
      await ask('GET', `/v2/deployments/${deployment.id}/revisions/${revisionId}`, undefined, 200),
    ).toMatchObject({
      cause: { kind: 'push', delivery_id: first.body.id },
      source_revision_config: { repo_commit_sha: COMMIT },
    });
    await returnsTo(at(), deployment, revisionId);
    await lookAtHeads(at());
    await lookAtRepository(at(), integration_id, deployment.id);
  });
}

/** What is seen of a repository that only a build can reach, and of a host that nobody can. */
async function lookAtRepository({ slipway }: Tour, integration_id: string, id: string): Promise<void> {
  const ask = (method: string, path: string) => expectApi<object>(slipway, method, path, undefined, 200);
  const query = new URLSearchParams({ repo_url: REPOSITORY, integration_id });
  const problem = expect.stringContaining('over ssh');
  const nothing = { resources: [], problem };
  expect(await ask('GET', `/v2/repositories/branches?${query}`)).toMatchObject(nothing);
  expect(await ask('GET', `/v2/repositories/look?${query}`)).toMatchObject({ found: null, problem });
  expect(await ask('GET', `/v2/deployments/${id}/source`)).toMatchObject({
    ...{ branch: 'main', head: null, serving: { sha: COMMIT }, problem },
  });
  expect(await ask('POST', `/v2/integrations/${integration_id}/test`)).toMatchObject({
    ...{ token: { ok: null }, webhook: { ok: true, last_event: 'push' } },
    deployments: [{ id, build_on_push: true }],
  });
}

/** The revision's build is done, and what it has built serves. */
async function built(tour: Tour, id: string, revisionId: string, version: string): Promise<void> {
  const { slipway } = tour;
  const build = await slipway.builds.take();
  const job = await slipway.builds.takeJob(build);
  const exported = await storeFolder(job, await tarball(await helloFiles(version)));
  await slipway.builds.succeed(build, { ...exported, COMMIT_SHA: COMMIT });
  await reaches(tour, 'DEPLOYED', { id }, revisionId, 8);
  expect(await helloFrom(await deploymentOf(slipway, id))).toMatchObject({ version });
}

/** Another repository is watched, and the first one again when its revision is deployed again. */
async function returnsTo(tour: Tour, { id }: ShownDeployment, revisionId: string): Promise<void> {
  const { slipway } = tour;
  const elsewhere = { source_config: { repo_url: 'ssh://git@git.example.com/team/elsewhere.git' } };
  const { latest_revision_id: other } = await patch(slipway, id, elsewhere);
  await slipway.builds.take();
  const path = `/v2/deployments/${id}/revisions`;
  expect(await api(slipway, 'POST', `${path}/${other}/interrupt`)).toMatchObject({ status: 200 });
  expect((await ended(slipway, id, other)).status).toBe('INTERRUPTED');
  const reason = { reason: 'back to what was pushed' };
  const again = await expectApi<ShownDeployment>(
    slipway,
    'POST',
    `${path}/${revisionId}/redeploy`,
    reason,
    200,
  );
  await reaches(tour, 'DEPLOYED', { id }, again.latest_revision_id, 6);
}

/** As every five minutes; the heads of what only a build can reach are left alone. */
async function lookAtHeads({ ground }: Tour): Promise<void> {
  const client = new LambdaClient(clientConfig(ground.emulator));
  const answer = await client.send(new InvokeCommand({ FunctionName: 'slipway-test-heads', Payload: '{}' }));
  expect(answer.FunctionError).toBeUndefined();
}
