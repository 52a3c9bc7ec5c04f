import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import { createTableLogs } from '../../../lib/adapters/aws/logs.ts';
import { FOLLOWERS_MAX, KEPT_FOR_OTHERS } from '../../../lib/core/followers.ts';
import { noteComputeUse } from '../../../lib/core/items/compute-use.ts';
import { takeFollowerSlot } from '../../../lib/core/items/follower-slots.ts';
import { findListener } from '../../../lib/core/items/listeners.ts';
import { documentClient } from '../../../lib/embedded/dynoxide/client.ts';
import { close } from '../../../lib/features/listeners/closing.ts';
import type { Patience } from '../../../lib/store/dynamodb/patience.ts';
import { dynamoDbEndpoint } from '../table/dynoxide.ts';
import { github, postRevision } from '../world/requests.ts';
import type { World } from '../world/world.ts';
import { openWire, type WireRecord } from './wire.ts';
import { k8s, open, openWithListener } from './wired-world.ts';

/** A fault of ours is told by its request id alone. */
export async function expectFault(record: WireRecord): Promise<void> {
  const { world, apiKey } = await open(record);
  const client = documentClient('http://127.0.0.1:9');
  client.send = async () => {
    throw new Error('the name of a table');
  };
  const wire = await openWire({ ...world.deps, table: { name: 'broken', client } }, record);
  await wire.refuse('internal', {}, 'listDeployments', { key: apiKey });
}

/** A listener, or a namespace of it, whose deletion was cut off takes no deployments. */
export async function expectClosing(record: WireRecord): Promise<void> {
  const { world, ask, refused, tenantId } = await open(record);
  const { id: listener_id } = await ask('createListener', { body: k8s('cluster', 'agents') });
  const listener = await findListener(world.deps.table, tenantId, listener_id);
  if (listener === undefined) throw new Error('no listener');
  const { repo_url } = github('a').source_config;
  const source_config = { repo_url, listener_id, listener_config: { k8s_namespace: 'agents' } };
  const creating = ['createDeployment', { body: github('a', { source_config }) }] as const;
  const computeId = 'cluster';
  await close(world.deps, listener, ['agents']);
  await refused('namespace_closing', { namespace: 'agents', computeId }, ...creating);
  await close(
    world.deps,
    (await findListener(world.deps.table, tenantId, listener_id)) ?? listener,
    undefined,
  );
  await refused('listener_closing', { computeId }, ...creating);
}

/** A queue takes no more than it can hold. */
export async function expectFullQueue(record: WireRecord): Promise<void> {
  const { world, ask, refused } = await openWithListener(record);
  const { id } = await ask('createDeployment', { body: github('a') });
  for (let queued = 1; queued < 100; queued++) await postRevision(world, id);
  const params = { deployment_id: id };
  await refused('queue_full', { limit: 100 }, 'createRevision', { params, body: {} });
  world.deps.settings.limits.waitingRevisions = 99;
  const other = await ask('createDeployment', { body: github('b') });
  const full = { count: 99, limit: 99 };
  await refused('waiting_full', full, 'createRevision', { params: { deployment_id: other.id }, body: {} });
}

/** Where the installation's own compute has no room, no agent is made. */
export async function expectFullCompute(record: WireRecord): Promise<void> {
  const { world, refused } = await open(record, { managedCompute: 'ecs' });
  const rules = { in_use: 10, quota: 100 };
  const use = { at: world.deps.clock.now(), target_groups: { in_use: 100, quota: 100 }, rules };
  await noteComputeUse(world.deps.table, use);
  const body = github('a', {
    source: 'external_docker',
    source_config: {},
    source_revision_config: { image_uri: 'registry.example/app:1' },
  });
  const how = { what: 'target groups', free: 0, quota: 100, needed: 1 };
  await refused('compute_full', how, 'createDeployment', { body });
}

/** Requests that never get through to the table end with when to come again. */
export async function expectCollisions(record: WireRecord): Promise<void> {
  const { world, apiKey: key } = await open(record);
  const body = { name: 'second' };
  const meeting = (entity: string) =>
    openWire({ ...world.deps, table: collidingTable(world, entity) }, record);
  const busy = await meeting('tenant');
  await busy.refuse('unavailable', { what: 'The table' }, 'createTenant', { key, body });
  const headers = { 'idempotency-key': 'once' };
  const repeated = await meeting('answer');
  await repeated.refuse('idempotency_under_way', {}, 'createTenant', { key, body, headers });
}

/**
 * The table of a world in which each transaction meets another one at its item of a kind. Pauses take no
 * time, but move the clock.
 */
function collidingTable(world: World, entity: string): World['deps']['table'] {
  const client = documentClient(dynamoDbEndpoint());
  client.middlewareStack.add(
    (next) => async (args) => {
      const { TransactItems: items } = args.input as TransactWriteCommandInput; // of other commands it is absent
      const codes = items?.map(({ Put }) => (Put?.Item?.entity === entity ? 'TransactionConflict' : 'None'));
      if (codes?.includes('TransactionConflict') !== true) return next(args);
      const CancellationReasons = codes.map((Code) => ({ Code }));
      throw new TransactionCanceledException({ message: 'a conflict', $metadata: {}, CancellationReasons });
    },
    { step: 'initialize', name: 'collides' },
  );
  return { ...world.deps.table, client, patience: hurried(world) };
}

const hurried = (world: World): Patience => {
  const pause = async (milliseconds: number) => world.advance(milliseconds / 1000);
  return {
    now: world.deps.clock.now,
    newRequestToken: () => crypto.randomUUID(),
    pause,
    async tryAgain(attempt, { maxDelay = 1_000, retry = () => true }) {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt();
        } catch (error) {
          if (!(await retry(error, tries))) throw error;
          await pause(maxDelay);
        }
      }
    },
  };
};

/** A log is followed, and the one that is too many is told when to come again. */
export async function expectFollowers(record: WireRecord): Promise<void> {
  const { world, ask, refused, wire, apiKey, tenantId } = await openWithListener(record);
  const { table, clock } = world.deps;
  const { id, latest_revision_id: revisionId } = await ask('createDeployment', { body: github('a') });
  const line = { timestamp: clock.now(), level: 'INFO', message: 'a line' } as const;
  const stream = {
    tenantId,
    deploymentId: id,
    revisionId,
    type: 'build',
  } as const;
  await createTableLogs(table, clock).append(stream, [line]);
  const headers = { accept: 'text/event-stream' };
  for (const path of [`${id}/revisions/${revisionId}/logs?type=build`, `${id}/logs?type=build`]) {
    const leaving = new AbortController();
    const asking = { headers: { ...headers, 'x-api-key': apiKey }, signal: leaving.signal };
    const followed = await fetch(`${wire.url}/v2/deployments/${path}`, asking);
    const first = await followed.body?.getReader().read();
    expect([path, followed.status, Buffer.from(first?.value ?? []).toString()]).toEqual([
      path,
      200,
      expect.stringContaining('a line'),
    ]);
    leaving.abort();
  }
  const events = await fetch(`${wire.url}/v2/events`, {
    headers: { ...headers, 'x-api-key': apiKey },
    signal: AbortSignal.timeout(60_000),
  });
  await events.body?.cancel();
  expect(events.status).toBe(200);
  // As long after it that its place is over.
  const later = clock.now() + 60_000;
  for (let slot = 0; slot < FOLLOWERS_MAX; slot++) {
    const place = {
      tenant_id: tenantId,
      slot,
      who: 'x',
      follower: `${slot}`,
      lease_id: 'held',
      until: 2 * later,
    };
    expect(await takeFollowerSlot(table, place, later)).toBe(true);
  }
  const params = { deployment_id: id, revision_id: revisionId };
  const asked = { params, query: { type: 'build' }, headers };
  const full = { limit: FOLLOWERS_MAX, keptForOthers: KEPT_FOR_OTHERS };
  await refused('too_many_followers', full, 'queryRevisionLogs', asked);
  await refused('too_many_followers', full, 'queryDeploymentLogs', {
    params: { deployment_id: id },
    headers,
  });
  await refused('too_many_followers', full, 'listEvents', { headers });
}
