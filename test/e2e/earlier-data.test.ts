import * as tar from 'tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isTerminal } from '../../lib/domain/transitions.ts';
import {
  api,
  deploymentOf,
  endProgram,
  expectApi,
  helloFrom,
  newDataFolder,
  type Program,
  revisionUntil,
  type ShownDeployment,
  type ShownRevision,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { earlierData } from '../support/world/earlier-data.ts';

/** What the folders hold, by what their deployments are for. */
const NAMES = [
  ...['building', 'failed', 'held', 'hello', 'nothing-yet', 'offered', 'on-cluster', 'pushed', 'uploaded'],
];

/** Every list that an administrator reads, with what the folders have at least. */
const LISTS = {
  '/v2/deployments?limit=100': 9,
  '/v2/listeners': 3,
  '/v2/integrations': 1,
  '/v2/webhooks': 1,
  '/v2/api-keys?limit=100': 3,
  '/v2/members': 1,
  '/v2/tenants': 2,
  '/v2/events?after=0': 50,
  '/v2/audit-events?limit=100': 40,
};

/** A row of a list: of a deployment, a revision, a listener or something else with an id. */
type Row = ShownDeployment & ShownRevision & { name: string; compute_id: string };

describe.each(earlierData)('on the data of $of', ({ archive }) => {
  let program: Program;
  const named = new Map<string, Row>();
  beforeAll(async () => {
    const dataFolder = await newDataFolder();
    await tar.x({ file: archive.pathname, cwd: dataFolder, strip: 1 });
    program = await startProgram({ dataFolder, environment: { SLIPWAY_MORE_TENANTS: 'true' } });
    for (const one of await list('/v2/deployments?limit=100')) named.set(one.name, one);
  });
  afterAll(async () => expect(await endProgram(program)).toEqual([]));

  const list = async (path: string): Promise<Row[]> =>
    (await expectApi<{ resources: Row[] }>(program, 'GET', path, undefined, 200)).resources;
  const of = (name: string): Row => {
    const found = named.get(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  const revisionsOf = ({ id }: Row) => list(`/v2/deployments/${id}/revisions?limit=100`);

  it('every deployment and each of its revisions is there', async () => {
    expect([...named.keys()].sort()).toEqual(NAMES);
    for (const one of named.values()) {
      expect((await deploymentOf(program, one.id)).id).toBe(one.id);
      const revisions = await revisionsOf(one);
      expect(revisions.length).toBeGreaterThan(0);
      for (const { id } of revisions)
        expect((await api(program, 'GET', `/v2/deployments/${one.id}/revisions/${id}`)).status).toBe(200);
    }
  });

  it.each(Object.entries(LISTS))('%s has at least %i rows', async (path, least) => {
    const { status, body } = await api(program, 'GET', path);
    expect(status).toBe(200);
    const rows: unknown = Array.isArray(body) ? body : (body as { resources: unknown }).resources; // either shape of list
    expect(Array.isArray(rows) ? rows.length : 0).toBeGreaterThanOrEqual(least);
  });

  it('connections, tokens, deliveries and attempts are there', async () => {
    const { body: tokens } = await api(program, 'GET', '/v2/auth/tokens?provider_id=idp');
    expect(tokens).toMatchObject([{ user_id: 'u' }]);
    const connections = await api(program, 'GET', '/v2/auth/agents/support/connections');
    expect(connections.body).toMatchObject({ data: [{ provider_id: 'idp' }] });
    const [integration] = await list('/v2/integrations');
    const deliveries = await list(`/v2/integrations/${integration?.id}/deliveries`);
    expect(deliveries).toMatchObject([{ event: 'push' }]);
    const [webhook] = await list('/v2/webhooks');
    expect((await list(`/v2/webhooks/${webhook?.id}/deliveries`)).length).toBeGreaterThan(0);
  });

  it('what was deployed serves again, as it was rolled back', async () => {
    for (const name of ['hello', 'uploaded']) {
      const shown = await until(
        async () => {
          const one = await deploymentOf(program, of(name).id);
          return one.status === 'READY' ? one : undefined;
        },
        { what: `${name} to serve` },
      );
      expect(shown.active_revision_id).not.toBeNull();
    }
    const address = (await deploymentOf(program, of('uploaded').id)).source_config.custom_url;
    // The other one has a host of its own; the stable address is there beside it.
    const hello = {
      ...of('hello'),
      source_config: { custom_url: address?.replace(/uploaded\/?$/, 'hello') ?? '' },
    };
    expect(await until(() => helloFrom(hello).catch(() => undefined), { what: 'hello' })).toMatchObject({
      greeting: 'the first greeting',
    });
  });

  it('a revision that was being built ends, and says why, and so does the one behind it', async () => {
    for (const { id } of await revisionsOf(of('building'))) {
      const revision = await revisionUntil(program, of('building').id, id, isTerminal);
      // Its repository was on another machine.
      expect([revision.status, revision.status_message]).toEqual([
        'BUILD_FAILED',
        expect.stringContaining('/srv/hello'),
      ]);
    }
  });

  it('a listener gets what its deployments run, with their secrets', async () => {
    const listenerId = (await list('/v2/listeners')).find(({ compute_id: id }) => id === 'cluster')?.id;
    const key = await expectApi<{ key: string }>(
      program,
      'POST',
      '/v2/api-keys',
      { name: 'l', role: 'listener', listener_id: listenerId },
      201,
    );
    const path = `/v2/listeners/${listenerId}/deployments/${of('on-cluster').id}/spec`;
    const spec = await expectApi({ ...program, apiKey: key.key }, 'GET', path, undefined, 200);
    expect(spec).toMatchObject({
      environment: expect.arrayContaining([{ name: 'A', value: 'a secret of a cluster' }]),
    });
  });

  it('what was being deleted is removed once that is forced', async () => {
    const [deleting, ...others] = await list('/v2/deployments?status=AWAITING_DELETE');
    expect([deleting?.name, others]).toEqual(['deleting', []]);
    const path = `/v2/deployments/${deleting?.id}`;
    await expectApi(program, 'DELETE', `${path}?force=true`, undefined, 204);
    await until(async () => (await api(program, 'GET', path)).status === 404, { what: 'the end of it' });
  });

  it('each takes back what it shows', async () => {
    for (const { id } of named.values()) {
      const shown = await deploymentOf(program, id);
      const { status, body } = await api(program, 'PATCH', `/v2/deployments/${id}`, shown);
      expect([status, status === 200 ? '' : body]).toEqual([200, '']);
    }
  });
});
