import { describe, expect, it } from 'vitest';
import { HostFailed, ListingRefused } from '../../../lib/adapters/repository-lists.ts';
import { testIntegration } from '../../../lib/features/integrations/test.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { deliver, fromGitHub } from '../../support/world/git-host.ts';
import { github, post, refusedWith } from '../../support/world/requests.ts';
import { watching } from '../../support/world/watching.ts';
import type { World } from '../../support/world/world.ts';

const baseUrl = 'https://slipway.example';
const test = ({ deps, caller }: Pick<World, 'deps' | 'caller'>, id: string) =>
  testIntegration(deps, { params: { integration_id: id }, baseUrl }, caller);

const taken = {
  ...{ isTaken: true, user: 'ada', expiresAt: undefined, scopes: ['repo'] },
  ...{ mayRead: true, maySetStatuses: true, missing: [] },
};
const app = { id: 1, owner: 'team', name: 'app', url: 'https://git.example/team/app', defaultBranch: 'main' };

describe('the test of an integration', () => {
  it('says what its token may do, whether deliveries come, and what it deploys', async () => {
    const { world, integrationId, id } = await watching();
    await post(world, github('of-others'));
    world.deps.tokenChecks.check = async (access) => {
      expect(access).toEqual({ type: 'github', host: 'git.example', token: 'a-token' });
      return { ...taken, expiresAt: '2026-12-01T10:00:00.000Z' };
    };
    world.deps.repositoryLists.list = async () => [app];
    const before = await test(world, integrationId);
    expect(before).toEqual({
      token: {
        ...{ ok: true, says: 'git.example takes the token. It ends on December 1, 2026.' },
        ...{ scopes: ['repo'], missing: [], user: 'ada', expires_at: '2026-12-01T10:00:00.000Z' },
      },
      repositories: { ok: true, says: 'The token sees repositories, team/app among them.' },
      statuses: { ok: true, says: 'Commits show what became of them.' },
      webhook: {
        ...{ ok: null, says: expect.stringMatching(/^No delivery came in the last 30 days\./) },
        url: `${baseUrl}/v1/integrations/github/${integrationId}/webhook`,
        ...{ last_delivery_at: null, last_event: null },
      },
      deployments: [{ id, name: 'app', repo_url: 'https://git.example/team/app.git', build_on_push: true }],
    });
    const body = JSON.stringify({ zen: 'Design for failure.' });
    await deliver(world, { integrationId, body, headers: fromGitHub(body, 'one', 'ping') });
    const { webhook } = await test(world, integrationId);
    expect(webhook).toMatchObject({ ok: true, last_event: 'ping', last_delivery_at: expect.any(String) });
    expect(JSON.stringify(before)).not.toContain('a-token');
  });

  it('says what is wrong, with the way out', async () => {
    const { world, host } = await watching();
    const { id } = await host.integrate({ webhook_secret: undefined });
    const { tokenChecks, repositoryLists } = world.deps;
    tokenChecks.check = async () => ({ ...taken, isTaken: false });
    repositoryLists.list = () =>
      Promise.reject(new ListingRefused('git.example does not take the token (HTTP 401)'));
    expect(await test(world, id)).toMatchObject({
      token: {
        ok: false,
        says: expect.stringMatching(/^git\.example does not take the token: .* Make a new one/),
      },
      repositories: { ok: false, says: expect.stringContaining('HTTP 401') },
      statuses: { ok: null },
      webhook: { ok: false, says: expect.stringContaining('There is no webhook secret') },
      deployments: [],
    });
    tokenChecks.check = async () => ({ ...taken, maySetStatuses: false, missing: ['repo', 'read:org'] });
    repositoryLists.list = async () => [];
    expect(await test(world, id)).toMatchObject({
      token: {
        ok: false,
        says: 'git.example takes the token. It lacks repo and read:org: make a new one with it.',
      },
      repositories: { ok: false, says: expect.stringContaining('sees no repository') },
      statuses: { ok: false },
    });
    tokenChecks.check = () => Promise.reject(new HostFailed('git.example (HTTP 502)'));
    repositoryLists.list = () => Promise.reject(new HostFailed('git.example (HTTP 502)'));
    expect(await test(world, id)).toMatchObject({ token: { ok: null }, repositories: { ok: null } });
    tokenChecks.check = async () => ({ ...taken, scopes: undefined, maySetStatuses: undefined });
    expect(await test(world, id)).toMatchObject({
      token: { ok: true, scopes: null },
      statuses: { ok: null },
    });
  });

  it('is of one tenant, and costs little', async () => {
    const { world, integrationId } = await watching();
    const other = world.as();
    expect(await refusedWith(test(other, integrationId))).toBe(
      `404 Integration ID ${integrationId} not found.`,
    );
    const units = await unitsOf(world.deps.table.client, () => test(world, integrationId));
    expect(units.reads).toBeLessThanOrEqual(4);
  });
});
