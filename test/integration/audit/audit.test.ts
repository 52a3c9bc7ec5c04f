import { describe, expect, it } from 'vitest';
import { create as createEvents } from '../../../functions/streams/events.ts';
import type { Caller } from '../../../lib/core/caller.ts';
import { listAuditEvents } from '../../../lib/features/audit/list.ts';
import { listAuditEvents as row } from '../../../lib/features/audit/routes.ts';
import { createIntegration } from '../../../lib/features/integrations/create.ts';
import { deleteIntegration } from '../../../lib/features/integrations/delete.ts';
import { createIntegration as integrationRow } from '../../../lib/features/integrations/routes.ts';
import { until } from '../../support/until.ts';
import { giveRole, makeKey, revoke, takeRole } from '../../support/world/identity-requests.ts';
import { change, github, interrupt, post, postRevision, redeploy } from '../../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../../support/world/running-world.ts';
import * as steps from '../../support/world/steps.ts';
import { allItems } from '../../support/world/world.ts';

const list = (world: RunningWorld, query: Record<string, string> = {}, caller: Caller = world.caller) =>
  listAuditEvents(world.deps, { query: row.query.parse(query) }, caller);

/** Waits until so many events are listed, and gives them. */
const hasListed = (world: RunningWorld, count: number) =>
  until(
    async () => {
      const { resources } = await list(world, { limit: '100' });
      return resources.length >= count && resources;
    },
    { what: `${count} audit events` },
  );

const next = { source_revision_config: { repo_ref: 'next' } };

describe('the audit', () => {
  it('is empty from a time to an earlier one', async () => {
    const world = await aRunningWorld();
    await hasListed(world, 1);
    const range = { since: '2030-01-01T00:00:00Z', until: '2020-01-01T00:00:00Z' };
    expect(await list(world, range)).toEqual({ resources: [], offset: 0 });
  });

  it('has who did what to which thing, newest first', async () => {
    const begin = Date.now();
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    const { latest_revision_id: second } = await change(world, id, next);
    await interrupt(world, id, second);
    await change(world, id, { source_config: { build_on_push: false } });
    await interrupt(world, id, first);
    const events = await hasListed(world, 6);
    expect(
      events.map(({ action, resource_id: resource, deployment_id: deployment }) => [
        action,
        resource,
        deployment,
      ]),
    ).toEqual([
      ['revision.interrupt', first, id],
      ['deployment.change', id, id],
      ['revision.interrupt', second, id],
      ['deployment.change', id, id],
      ['deployment.create', id, id],
      ['listener.create', world.listenerId, null],
    ]);
    const { userId, keyId } = world.caller;
    for (const event of events) {
      expect(event).toMatchObject({ user_id: userId, key_id: keyId, request_id: null });
      expect(event.resource_type).toBe(event.action.split('.')[0]);
      expect(Date.parse(event.at)).toBeGreaterThanOrEqual(begin);
      expect(Date.parse(event.at)).toBeLessThanOrEqual(Date.now());
    }
  });

  it('names the revision that was asked for, and the one whose spec a listener was given', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    await steps.deploy(world, id, first);
    const { id: second } = await postRevision(world, id);
    await steps.deployBuilt(world, id, second);
    const { latest_revision_id: third } = await redeploy(world, id, first);
    const events = await hasListed(world, 6);
    expect(events.slice(0, 4).map(({ action, resource_id: resource }) => [action, resource])).toEqual([
      ['revision.redeploy', third],
      ['revision_spec.read', second],
      ['revision.create', second],
      ['revision_spec.read', first],
    ]);
  });

  it('has what is removed, in the transaction that removes it', async () => {
    const world = await aRunningWorld();
    const body = integrationRow.body.parse({ type: 'github', token: 'ghp_secret' });
    const { id } = await createIntegration(world.deps, { body }, world.caller);
    await deleteIntegration(world.deps, { params: { integration_id: id } }, world.caller);
    const events = await hasListed(world, 3);
    expect(events.map(({ action, resource_id: resource }) => [action, resource])).toEqual([
      ['integration.delete', id],
      ['integration.create', id],
      ['listener.create', world.listenerId],
    ]);
    const stored = JSON.stringify(await allItems(world.deps.table));
    expect(stored).not.toContain('ghp_secret');
  });

  it('has keys and members with their role', async () => {
    const world = await aRunningWorld();
    const admin = { ...world, caller: { ...world.caller, role: 'organization_admin' as const } };
    const key = await makeKey(admin, { name: 'k', role: 'admin', scope: 'organization' });
    await revoke(admin, key.id);
    const { id: memberId } = await giveRole(admin, 'alice', 'developer');
    await takeRole(admin, memberId);
    const events = await hasListed(world, 5);
    const ofKey = { role: 'admin', scope: 'organization', hint: key.hint, user_id: world.caller.userId };
    const ofMember = { role: 'developer', user_id: 'alice' };
    expect(events.slice(0, 4).map(({ action, resource_id: of, details }) => [action, of, details])).toEqual([
      ['membership.remove', memberId, ofMember],
      ['membership.change', memberId, ofMember],
      ['api_key.revoke', key.id, ofKey],
      ['api_key.create', key.id, ofKey],
    ]);
  });

  it('has each thing once, however often its record is delivered', async () => {
    const world = await aRunningWorld();
    await post(world, github('app'));
    const events = await hasListed(world, 2);
    const items = async () =>
      (await allItems(world.deps.table)).filter((item) => item.entity === 'audit_event');
    const before = await items();
    await createEvents(() => world.deps)({ Records: world.records() });
    expect(await items()).toEqual(before);
    expect((await list(world)).resources).toEqual(events);
  });

  it('is kept for as long as the installation says', async () => {
    const world = await aRunningWorld();
    await hasListed(world, 1);
    world.deps.settings.auditDays = 7;
    await post(world, github('app'));
    await hasListed(world, 2);
    world.advance(8 * 24 * 3600);
    expect((await list(world)).resources.map(({ action }) => action)).toEqual(['listener.create']);
  });

  it('is of the tenant alone', async () => {
    const world = await aRunningWorld();
    await hasListed(world, 1);
    const stranger = { ...world.caller, tenantId: world.deps.clock.randomId() };
    expect(await list(world, {}, stranger)).toEqual({ resources: [], offset: 0 });
  });
});

describe('the list of audit events', () => {
  it('has pages and filters', async () => {
    const world = await aRunningWorld();
    const { id } = await post(world, github('app'));
    const other = { ...world, caller: { ...world.caller, userId: 'somebody-else' } };
    for (let n = 0; n < 3; n++)
      await change(other, id, { source_config: { custom_url: `https://a.example/${n}` } });
    const all = await hasListed(world, 5);
    const ids = async (query: Record<string, string>) =>
      (await list(world, query)).resources.map((event) => event.id);
    const idsOf = (events: typeof all) => events.map((event) => event.id);
    expect(await ids({ limit: '2' })).toEqual(idsOf(all.slice(0, 2)));
    expect(await list(world, { limit: '2', offset: '4' })).toEqual({ resources: all.slice(4), offset: 5 });
    expect(await list(world, { offset: '9' })).toEqual({ resources: [], offset: 5 });
    expect(await ids({ action: 'deployment.change' })).toEqual(idsOf(all.slice(0, 3)));
    expect(await ids({ user_id: 'somebody-else', offset: '1' })).toEqual(idsOf(all.slice(1, 3)));
    expect(await ids({ deployment_id: id })).toEqual(idsOf(all.slice(0, 4)));
    const [, , middle] = all;
    const at = middle?.at ?? '';
    expect(idsOf(all).slice(0, 3)).toEqual(
      expect.arrayContaining(await ids({ since: at, user_id: 'somebody-else' })),
    );
    expect(await ids({ since: at })).toContain(middle?.id);
    expect(await ids({ until: at })).not.toContain(middle?.id);
    expect(await ids({ until: new Date(Date.parse(at) + 1).toISOString() })).toContain(middle?.id);
  });
});
