import type * as z from 'zod';
import { packLines } from '../../../lib/adapters/aws/log-chunks.ts';
import { createTableLogs, queryLog } from '../../../lib/adapters/aws/logs.ts';
import { auditEvent, auditEventKey } from '../../../lib/core/items/audit-events.ts';
import { removalsBeside } from '../../../lib/core/items/deletions.ts';
import { packedId, rowsOnListener } from '../../../lib/core/items/deployment-rows.ts';
import { followerSlot, followerSlots } from '../../../lib/core/items/follower-slots.ts';
import { integration, integrationsOf } from '../../../lib/core/items/integrations.ts';
import * as items from '../../../lib/core/items/items.ts';
import { listenerSocket, socketsOf } from '../../../lib/core/items/listener-sockets.ts';
import { listenerRows } from '../../../lib/core/items/listeners.ts';
import {
  placement,
  placementState,
  placementsOn,
  placementVersion,
} from '../../../lib/core/items/placements.ts';
import { firstQueued } from '../../../lib/core/items/queue.ts';
import { endsReader, revisionEnds } from '../../../lib/core/items/revision-ends.ts';
import { revisionsBetween } from '../../../lib/core/items/revisions.ts';
import { openTaskPage } from '../../../lib/core/items/tasks.ts';
import { auditEvents } from '../../../lib/features/audit/store.ts';
import { rowsOf } from '../../../lib/features/deployments/store.ts';
import { dueItems } from '../../../lib/store/due.ts';
import { collected } from '../../../lib/store/dynamodb/collected.ts';
import * as keys from '../../../lib/store/keys/index.ts';
import { placementKey, placementVersionKeys } from '../../../lib/store/keys/placements.ts';
import { listenerSocketKey } from '../../../lib/store/keys/sockets.ts';
import { logChunk, logChunkKey } from '../../../lib/store/logs.ts';
import type { Table } from '../../../lib/store/table.ts';
import { ofCounts, ofEvents, ofPeople, ofPushes } from './feature-query-cases.ts';
import { ofMetrics } from './metrics-query-cases.ts';
import { ofGrants } from './oauth-query-cases.ts';
import { aDeployment } from './stored-items.ts';

/**
 * A query of the table, as code asks it. `id` stands for every id that the code could mix up with another
 * one.
 */
export type QueryCase = {
  name: string;
  /** Where the code spells the query. */
  file: string;
  shape: z.ZodType;
  /** The key of an item that the query finds under `id`. */
  key: (id: string) => keys.Key;
  /** Attributes beside the least that the shape asks for. */
  more?: (id: string) => Record<string, unknown>;
  ask: (table: Table, id: string) => Promise<unknown[]>;
};

const TENANT = 'tenant';
const log = (id: string) => ({ tenantId: TENANT, deploymentId: id, type: 'build' as const });
const noTime = '00000000-0000-7000-8000-000000000000';

const ofDeployments: QueryCase[] = [
  {
    name: 'revisions of a deployment',
    file: 'lib/core/items/revisions.ts',
    shape: items.revision,
    key: (id) => keys.revisionKey(TENANT, id, 1),
    ask: (table, id) => collected(revisionsBetween(table, { tenantId: TENANT, deploymentId: id }, 1, 2)),
  },
  {
    name: 'queued revisions of a deployment',
    file: 'lib/core/items/revisions.ts',
    shape: items.revision,
    key: (id) => keys.revisionKey(TENANT, id, 1),
    more: () => ({ number: 1, status: 'QUEUED' }),
    ask: (table, id) => firstQueued(table, aDeployment({ tenant_id: TENANT, id, queued: [1] })),
  },
  {
    name: 'how revisions of a deployment ended',
    file: 'lib/core/items/revision-ends.ts',
    shape: revisionEnds,
    key: (id) => keys.revisionEndsKey({ tenantId: TENANT, deploymentId: id }, 0),
    more: () => ({ DEPLOYED: new Set([1]) }),
    ask: async (table, id) => {
      const status = await endsReader(table, { tenantId: TENANT, deploymentId: id })(1);
      return status === undefined ? [] : [status];
    },
  },
  {
    name: 'what is purged of a deployment',
    file: 'lib/core/items/deletions.ts',
    shape: items.configuration,
    key: (id) => keys.configurationKey(TENANT, id, 1),
    ask: (table, id) => removalsBeside(table, { tenantId: TENANT, deploymentId: id }, 10),
  },
  {
    name: 'deployments of a tenant',
    file: 'lib/features/deployments/store.ts',
    shape: items.deploymentRow,
    key: (id) => keys.deploymentRowKey(id, 'deployment'),
    ask: (table, id) => collected(rowsOf({ table, tenantId: id, others: true, deleted: false }, 10)),
  },
  {
    name: 'deployments on a listener',
    file: 'lib/core/items/deployment-rows.ts',
    shape: items.deploymentRow,
    key: (id) => keys.deletedRowKey(id, 'deployment'),
    more: () => ({ listener: packedId(noTime) }),
    ask: (table, id) => collected(rowsOnListener(table, id, noTime)),
  },
  {
    name: 'lines of a log',
    file: 'lib/store/logs.ts',
    shape: logChunk,
    key: (id) => logChunkKey(TENANT, id, 'build', 5),
    more: () => ({ last: 5, lines: packLines([{ timestamp: 5, level: 'INFO', message: 'a line' }]) }),
    ask: async (table, id) => (await queryLog(table, log(id), { order: 'asc', limit: 10 })).entries,
  },
  {
    name: 'a log that is deleted',
    file: 'lib/store/logs.ts',
    shape: logChunk,
    key: (id) => logChunkKey(TENANT, id, 'build', 5),
    more: () => ({ last: 5, lines: packLines([{ timestamp: 5, level: 'INFO', message: 'a line' }]) }),
    ask: async (table, id) => {
      await createTableLogs(table, { now: Date.now }).delete(TENANT, id.toUpperCase());
      return (await queryLog(table, log(id), { order: 'asc', limit: 10 })).entries;
    },
  },
];

const ofTenants: QueryCase[] = [
  {
    name: 'open tasks of a listener',
    file: 'lib/core/items/tasks.ts',
    shape: items.openTask,
    key: (id) => keys.openTaskKey(TENANT, id, 'task'),
    ask: async (table, id) => (await openTaskPage(table, TENANT, id)).items,
  },
  {
    name: 'sockets of a listener',
    file: 'lib/core/items/listener-sockets.ts',
    shape: listenerSocket,
    more: () => ({ ttl: 2 ** 32 }),
    key: (id) => listenerSocketKey({ tenantId: TENANT, listenerId: id }, 'instance'),
    ask: (table, id) => socketsOf(table, { tenantId: TENANT, listenerId: id }, 0),
  },
  {
    name: 'the versions of what should run on a listener',
    file: 'lib/core/items/placements.ts',
    shape: placementVersion,
    more: () => ({ placed: 1 }),
    key: (id) => placementVersionKeys(TENANT, id)[0] ?? placementKey(TENANT, id, ''),
    ask: async (table, id) => {
      const { placed } = await placementState(table, { tenantId: TENANT, listenerId: id });
      return placed === '0' ? [] : [placed];
    },
  },
  {
    name: 'what should run on a listener',
    file: 'lib/core/items/placements.ts',
    shape: placement,
    key: (id) => placementKey(TENANT, id, 'deployment'),
    ask: async (table, id) => (await placementsOn(table, { tenantId: TENANT, listenerId: id })).placements,
  },
  {
    name: 'listeners of a tenant',
    file: 'lib/core/items/listeners.ts',
    shape: items.listener,
    key: (id) => keys.listenerRowKey(id, 'listener'),
    ask: (table, id) => collected(listenerRows(table, id)),
  },
  {
    name: 'integrations of a tenant',
    file: 'lib/core/items/integrations.ts',
    shape: integration,
    key: (id) => keys.integrationKey(id, 'integration'),
    ask: integrationsOf,
  },
  {
    name: 'audit events of a tenant',
    file: 'lib/features/audit/store.ts',
    shape: auditEvent,
    key: (id) => auditEventKey({ tenantId: id }, noTime),
    ask: (table, id) =>
      collected(auditEvents(table, { tenantId: id }, { since: undefined, until: undefined })),
  },
  {
    name: 'followers of logs of a tenant',
    file: 'lib/core/items/follower-slots.ts',
    shape: followerSlot,
    key: (id) => keys.followerSlotKey(id, 0),
    ask: followerSlots,
  },
  {
    name: 'partitions that are due',
    file: 'lib/store/due.ts',
    shape: items.deployment,
    key: (id) => ({ pk: id, sk: 'A' }),
    more: (id) => ({ due_pk: id, due_at: 1 }),
    ask: (table, id) => collected(dueItems(table, id, 2)),
  },
];

export const queryCases: QueryCase[] = [
  ...ofDeployments,
  ...ofTenants,
  ...ofGrants,
  ...ofMetrics,
  ...ofEvents,
  ...ofPushes,
  ...ofCounts,
  ...ofPeople,
];
