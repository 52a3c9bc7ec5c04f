import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { IntegrationType } from '../../../lib/contract/integration-types.ts';
import {
  commitOf,
  deliver,
  deliveries,
  fromGitHub,
  GitHost,
  hmac,
  pushPayload,
  SECRET,
} from '../../support/world/git-host.ts';
import { ended } from '../../support/world/processed.ts';
import { github, post, refusedWith, register, revisions } from '../../support/world/requests.ts';
import { allItems, aWorld } from '../../support/world/world.ts';

const ADDRESS = 'https://git.example/team/app.git';
const SIGNING_TOKEN = `whsec_${Buffer.from('a-key-of-thirty-two-bytes-length').toString('base64')}`;

async function aScene(type: IntegrationType, secret = SECRET) {
  const world = await aWorld();
  const host = new GitHost(world);
  host.heads.set(`${ADDRESS} main`, commitOf('0'));
  await register(world, 'machine');
  const { id: integrationId } = await host.integrate({ type, webhook_secret: secret });
  const source_config = { repo_url: ADDRESS, integration_id: integrationId, build_on_push: true };
  const { id } = await post(world, github('app', { source_config }));
  await ended(world, id, 'DEPLOYED', { commit: commitOf('0') });
  host.heads.set(`${ADDRESS} main`, commitOf('1'));
  const stored = () => allItems(world.deps.table);
  const latest = async () => (await revisions(world, id)).resources[0];
  return { world, integrationId, stored, latest };
}

const commit = {
  id: commitOf('1'),
  message: 'Change it',
  timestamp: '2026-01-01T00:00:00Z',
  author: { name: 'Ada' },
};
const gitLabPush = JSON.stringify({
  object_kind: 'push',
  ref: 'refs/heads/main',
  after: commitOf('1'),
  project: {
    path_with_namespace: 'team/app',
    git_http_url: ADDRESS,
    git_ssh_url: 'git@git.example:team/app.git',
  },
  commits: [commit],
});
const bitbucketPush = JSON.stringify({
  push: {
    changes: [
      {
        old: { type: 'branch', name: 'main' },
        new: {
          type: 'branch',
          name: 'main',
          target: {
            hash: commitOf('1'),
            message: 'Change it\n',
            date: '2026-01-01T00:00:00+00:00',
            author: { raw: 'Ada <ada@example.com>' },
          },
        },
      },
    ],
  },
  repository: { full_name: 'team/app', links: { html: { href: 'https://git.example/team/app' } } },
});
const gitHubPush = JSON.stringify(pushPayload({ address: ADDRESS, commits: [commit], head_commit: commit }));

const gitLabSigned = (body: string, token = SIGNING_TOKEN) => {
  const at = new Date();
  return {
    'webhook-id': 'a-delivery',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(token).sign('a-delivery', at, body),
  };
};

type Host = {
  type: IntegrationType;
  secret?: string;
  body: string;
  headers: Record<string, string>;
  /** The header that proves. */
  proof: string;
};
const hosts: [string, Host][] = [
  [
    'GitHub',
    {
      type: 'github',
      body: gitHubPush,
      headers: fromGitHub(gitHubPush, 'a-delivery'),
      proof: 'x-hub-signature-256',
    },
  ],
  [
    'Gitea',
    {
      type: 'gitea',
      body: gitHubPush,
      headers: {
        'x-gitea-event': 'push',
        'x-gitea-delivery': 'a-delivery',
        'x-gitea-signature': hmac(gitHubPush),
      },
      proof: 'x-gitea-signature',
    },
  ],
  [
    'Forgejo',
    {
      type: 'gitea',
      body: gitHubPush,
      headers: {
        'x-forgejo-event': 'push',
        'x-forgejo-delivery': 'a-delivery',
        'x-forgejo-signature': hmac(gitHubPush),
      },
      proof: 'x-forgejo-signature',
    },
  ],
  [
    'GitLab with a secret token',
    {
      type: 'gitlab',
      body: gitLabPush,
      headers: { 'x-gitlab-event': 'Push Hook', 'idempotency-key': 'a-delivery', 'x-gitlab-token': SECRET },
      proof: 'x-gitlab-token',
    },
  ],
  [
    'GitLab with a signing token',
    {
      type: 'gitlab',
      secret: SIGNING_TOKEN,
      body: gitLabPush,
      headers: { 'x-gitlab-event': 'Push Hook', ...gitLabSigned(gitLabPush) },
      proof: 'webhook-signature',
    },
  ],
  [
    'Bitbucket',
    {
      type: 'bitbucket',
      body: bitbucketPush,
      headers: {
        'x-event-key': 'repo:push',
        'x-request-uuid': 'a-delivery',
        'x-hub-signature': `sha256=${hmac(bitbucketPush)}`,
      },
      proof: 'x-hub-signature',
    },
  ],
];

/** The same text with one bit of its last character changed. */
const oneBitOff = (text: string): string =>
  text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) ^ 1);

describe.each(hosts)('a delivery of %s', (_, { type, secret, body, headers, proof }) => {
  it('with its proof makes the revision of its push', async () => {
    const { world, integrationId, latest } = await aScene(type, secret);
    const answer = await deliver(world, { integrationId, type, body, headers });
    expect(answer).toMatchObject({
      status: 200,
      body: { delivery_id: 'a-delivery', event: 'push', ref: 'refs/heads/main', repository: 'team/app' },
    });
    expect(await latest()).toMatchObject({
      status: 'QUEUED',
      source_revision_config: { repo_commit_sha: commitOf('1') },
      commit: { message: 'Change it', author: 'Ada' },
    });
  });

  it('with a wrong proof, none, or one bit off, is 401 and leaves nothing', async () => {
    const { world, integrationId, stored } = await aScene(type, secret);
    const before = await stored();
    const { [proof]: good = '', ...rest } = headers;
    const asked = { integrationId, type, body };
    const wrong = [
      rest,
      { ...rest, [proof]: oneBitOff(good) },
      { ...rest, [proof]: '' },
      { ...rest, [proof]: `${good}x` },
    ];
    const answers = [];
    for (const sent of wrong) answers.push(await deliver(world, { ...asked, headers: sent }));
    if (proof !== 'x-gitlab-token')
      answers.push(await deliver(world, { ...asked, headers, body: `${body} ` }));
    const unknown = { ...asked, headers, integrationId: world.deps.clock.randomId() };
    answers.push(await deliver(world, unknown));
    const other = type === 'github' ? 'gitea' : 'github';
    answers.push(await deliver(world, { ...asked, headers, type: other }));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(await stored()).toEqual(before);
  });
});

describe('a delivery', () => {
  it('to an integration without a secret is 401', async () => {
    const { world } = await aScene('github');
    const { id: integrationId } = await new GitHost(world).integrate({ webhook_secret: null });
    const headers = fromGitHub(gitHubPush, 'one', 'push', '');
    expect((await deliver(world, { integrationId, body: gitHubPush, headers })).status).toBe(401);
  });

  it('of GitLab proves nothing by a token where a signing token was agreed on', async () => {
    const { world, integrationId } = await aScene('gitlab', SIGNING_TOKEN);
    const headers = { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': SIGNING_TOKEN };
    expect((await deliver(world, { integrationId, type: 'gitlab', body: gitLabPush, headers })).status).toBe(
      401,
    );
  });

  it('comes as a form too', async () => {
    const { world, integrationId, latest } = await aScene('github');
    const body = new URLSearchParams({ payload: gitHubPush }).toString();
    const headers = { ...fromGitHub(body, 'one'), 'content-type': 'application/x-www-form-urlencoded' };
    expect((await deliver(world, { integrationId, body, headers })).status).toBe(200);
    expect((await latest())?.cause.kind).toBe('push');
  });

  it.each([
    ['ping', 'a ping: nothing was pushed'],
    ['issues', "the event 'issues' is no push"],
  ])('of the event %s is noted, and makes nothing', async (event, reason) => {
    const { world, integrationId, latest } = await aScene('github');
    const body = JSON.stringify({ zen: 'Keep it logically awesome.' });
    const answer = await deliver(world, { integrationId, body, headers: fromGitHub(body, 'one', event) });
    expect(answer).toMatchObject({ status: 200, body: { event, reason, revision_ids: [] } });
    expect((await deliveries(world, integrationId)).resources).toEqual([answer.body]);
    expect((await latest())?.status).toBe('DEPLOYED');
  });

  it.each(['no json', '{}', '[]', '{"ref":1}', ''])('that is signed but no push is 422: %j', async (body) => {
    const { world, integrationId, stored } = await aScene('github');
    const before = await stored();
    expect((await deliver(world, { integrationId, body, headers: fromGitHub(body, 'one') })).status).toBe(
      422,
    );
    expect(await stored()).toEqual(before);
  });

  it('of 5 MiB is taken, of more it is 413', async () => {
    const { world, integrationId } = await aScene('github');
    const sized = (sizeBytes: number) => {
      const plain = JSON.stringify(pushPayload({ address: ADDRESS, filler: '' }));
      return JSON.stringify(pushPayload({ address: ADDRESS, filler: 'x'.repeat(sizeBytes - plain.length) }));
    };
    const [fits, large] = [sized(5 * 1024 * 1024), sized(6_000_000)];
    expect(
      (await deliver(world, { integrationId, body: large, headers: fromGitHub(large, 'one') })).status,
    ).toBe(413);
    expect(
      (await deliver(world, { integrationId, body: fits, headers: fromGitHub(fits, 'two') })).status,
    ).toBe(200);
  });

  it('are listed newest first, in pages, for the tenant alone', async () => {
    const { world, integrationId } = await aScene('github');
    for (const id of ['one', 'two', 'three']) {
      const body = JSON.stringify({ zen: id });
      await deliver(world, { integrationId, body, headers: fromGitHub(body, id, 'ping') });
    }
    const page = await deliveries(world, integrationId, { limit: '2', offset: '1' });
    expect(page.resources.map(({ delivery_id: id }) => id)).toEqual(['two', 'one']);
    expect(page.offset).toBe(3);
    expect(await refusedWith(deliveries(world.as(), integrationId))).toBe(
      `404 Integration ID ${integrationId} not found.`,
    );
  });
});
