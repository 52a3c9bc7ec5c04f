import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { listEvents } from '../../../lib/features/events/list.ts';
import { listEvents as row } from '../../../lib/features/events/routes.ts';
import { reportStatus as statusRow } from '../../../lib/features/listener-protocol/routes.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { until } from '../../support/until.ts';
import { claim } from '../../support/world/listening.ts';
import { change, github, post, show } from '../../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../../support/world/running-world.ts';
import * as steps from '../../support/world/steps.ts';

const fed = async ({ deps, caller }: RunningWorld) =>
  (await listEvents(deps, { query: row.query.parse({ limit: '1000' }), headers: {} }, caller)).resources;

const ofListener = async (world: RunningWorld) =>
  (await fed(world)).flatMap((event) => ('listener_id' in event ? [`${event.sequence} ${event.type}`] : []));

const becomes = (world: RunningWorld, told: string[]) =>
  until(async () => JSON.stringify(await ofListener(world)) === JSON.stringify(told), {
    what: told.join(', '),
  });

/** So long a dead listener may not be noticed: a look is due every five minutes. */
const minutes = (world: RunningWorld, count: number) => world.sweepFor(61 * count);

describe('a listener', () => {
  it('is told online when it first calls, offline after a silence, and online when it is back', async () => {
    const world = await aRunningWorld();
    await minutes(world, 1);
    expect(await ofListener(world)).toEqual([]);
    await claim(world, 1);
    await world.sweep();
    await becomes(world, ['1 listener.online']);
    for (let minute = 0; minute < 12; minute++) {
      await claim(world, 1);
      await minutes(world, 1);
    }
    expect(await ofListener(world)).toEqual(['1 listener.online']);
    await minutes(world, 8);
    await becomes(world, ['1 listener.online', '2 listener.offline']);
    // Nothing looks at it any more.
    world.advance(24 * 3600);
    await world.sweep();
    expect(await world.sweep()).toMatchObject({ left: 0 });
    await claim(world, 1);
    await world.sweep();
    await becomes(world, ['1 listener.online', '2 listener.offline', '3 listener.online']);
  });
});

describe('a deployment', () => {
  it('is told unhealthy with the reason, and healthy again, in the order of its other events', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: revisionId } = await post(world, github('a'));
    await steps.deploy(world, id, revisionId);
    const { epoch } = await until(
      async () => (await findDeployment(world.deps.table, world.caller.tenantId, id))?.active,
      { what: 'what serves' },
    );
    const report = (healthy: boolean, reason?: string, more?: object) => {
      const reports = [
        { deployment_id: id, revision_id: revisionId, epoch, healthy, ...(reason && { reason }), ...more },
      ];
      const body = statusRow.body.parse({ reports });
      return reportStatus(world.deps, { params: { listener_id: world.listenerId }, body }, world.caller);
    };
    await report(true);
    // What is released next answers already.
    await report(true, undefined, { revision_id: randomUUID(), epoch: epoch + 1 });
    expect((await show(world, id)).status).toBe('READY');
    await report(true);
    await report(false, 'GET /ok answered 500');
    await report(false, 'GET /ok answered 502');
    await report(true);
    const health = await until(
      async () => {
        const found = (await fed(world)).filter(({ type }) => type === 'deployment.health_changed');
        return found.length >= 2 && found;
      },
      { what: 'two changes of health' },
    );
    expect(health).toMatchObject([
      {
        sequence: 9,
        deployment_id: id,
        revision_id: revisionId,
        healthy: false,
        reason: 'GET /ok answered 500',
      },
      { sequence: 10, deployment_id: id, revision_id: revisionId, healthy: true },
    ]);
    expect(health[1]).not.toHaveProperty('reason');
    await report(false);
    const { latest_revision_id: next } = await change(world, id, {
      source_revision_config: { repo_ref: 'x' },
    });
    await steps.deploy(world, id, next);
    // The new revision serves: that is healthy.
    await until(
      async () => (await fed(world)).filter(({ type }) => type === 'deployment.health_changed').length === 4,
      { what: 'the health of the next revision' },
    );
    expect((await show(world, id)).status).toBe('READY');
  });
});
