import { expect, it } from 'vitest';
import { getDeploymentItem } from '../../../lib/core/items/deployments.ts';
import { listAuditEvents } from '../../../lib/features/audit/list.ts';
import { listAuditEvents as auditRow } from '../../../lib/features/audit/routes.ts';
import { listEvents } from '../../../lib/features/events/list.ts';
import { listEvents as row } from '../../../lib/features/events/routes.ts';
import { until } from '../../support/until.ts';
import { isOfVersion, letGo, ranDurable, tell } from '../../support/world/durable.ts';
import { change, github, post } from '../../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../../support/world/running-world.ts';
import * as steps from '../../support/world/steps.ts';

/** Events of threads, once there are so many events of all kinds. */
async function told({ deps, caller }: RunningWorld, last: string) {
  const fed = async () =>
    (await listEvents(deps, { query: row.query.parse({ limit: '1000' }), headers: {} }, caller)).resources;
  const all = await until(
    async () => {
      const found = await fed();
      return found.some(({ id }) => id.endsWith(last)) && found;
    },
    { what: `the event ${last}` },
  );
  return all.filter(({ type }) => type.startsWith('deployment.threads_'));
}

it('threads that were ended are told once, those that were let go with who did it', async () => {
  const world = await aRunningWorld();
  const { deps, caller } = world;
  await isOfVersion(world, '0.2.0');
  const { id, latest_revision_id: old } = await post(world, github('a'));
  await steps.deploy(world, id, old);
  await ranDurable(world, id, old);
  const { latest_revision_id: serving } = await change(world, id, {
    source_revision_config: { repo_ref: 'x' },
  });
  await steps.deploy(world, id, serving);
  const { active } = await getDeploymentItem(deps.table, caller.tenantId, id);
  const expired = [{ revision_id: old, threads: 2, at: '2026-11-20T10:00:00Z' }];
  const report = (said: object[]) => tell(world, { id, serving }, { expired: said }, active?.epoch);
  await report(expired);
  await letGo(world, id, old);
  await report(expired);
  const later = { revision_id: serving, threads: 1, at: '2026-11-21T10:00:00.000Z' };
  await report([...expired, later]);
  const events = await told(world, later.at);
  const at = expect.any(String);
  expect(events).toMatchObject([
    {
      type: 'deployment.threads_expired',
      revision_id: old,
      at: '2026-11-20T10:00:00.000Z',
      reason: '2 threads had waited longer than on_release.days and ended with an error.',
    },
    {
      type: 'deployment.threads_released',
      revision_id: old,
      at,
      reason: `User ${caller.userId} let the threads go on with the revision that serves.`,
    },
    {
      type: 'deployment.threads_expired',
      revision_id: serving,
      reason: '1 thread had waited longer than on_release.days and ended with an error.',
    },
  ]);
  const { resources } = await listAuditEvents(deps, { query: auditRow.query.parse({}) }, caller);
  expect(resources.filter(({ action }) => action === 'revision.release_threads')).toMatchObject([
    { resource_id: old, deployment_id: id, user_id: caller.userId },
  ]);
});
