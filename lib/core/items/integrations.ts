import * as z from 'zod';
import { integrationTypes } from '../../contract/integration-types.ts';
import { countOneLess } from '../../store/counts.ts';
import { absent, check, equals, present, put, remove } from '../../store/dynamodb/expressions.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { alsoEarlier } from '../../store/dynamodb/upgrade.ts';
import { integrationKey, integrationOwnerKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import type { AuditMark } from './audit-events.ts';

/** Access to the repositories of one host. All of a tenant's lie in one partition, for there are few. */
export const integration = z.object({
  v: z.literal(2),
  entity: z.literal('integration'),
  tenant_id: z.string(),
  id: z.string(),
  type: z.enum(integrationTypes),
  name: z.string(),
  host: z.string(),
  /** Token and webhook secret; opens only under this tenant and integration. */
  sealed: z.string(),
  has_webhook_secret: z.boolean(),
  /** Whether submodules on the host get the token too. */
  submodules: z.boolean().optional(),
  created_at: z.string(),
  created_by: z.string(),
});
export type Integration = z.infer<typeof integration>;

/** All of the first version are of GitHub. */
export const anyIntegration = alsoEarlier(integration, 2);

export const findIntegration = (
  table: Table,
  tenantId: string,
  integrationId: string,
): Promise<Integration | undefined> => find(table, integrationKey(tenantId, integrationId), anyIntegration);

/** All of a tenant's integrations, newest first. */
export async function integrationsOf(table: Table, tenantId: string): Promise<Integration[]> {
  const all: Integration[] = [];
  const query = { pk: integrationKey(tenantId, '').pk, newestFirst: true };
  for await (const item of queryAll(table, anyIntegration, query)) all.push(item);
  return all;
}

/**
 * The name of the write that fails when the integration is not there; what a request names is looked up under
 * its own tenant.
 */
export const INTEGRATION = 'integration';

/** Demands that the integration is there. */
export const checkIntegration = (tenantId: string, integrationId: string): Write =>
  check(INTEGRATION, integrationKey(tenantId, integrationId), present('pk'));

/** Whose integration it is, for hosts that know its id alone. */
export const integrationOwner = z.object({
  v: z.literal(1),
  entity: z.literal('integration_owner'),
  tenant_id: z.string(),
});

/** The integration of this id, of whichever tenant: for deliveries, whose signature then says if it is meant. */
export async function findAnyIntegration(
  table: Table,
  integrationId: string,
): Promise<Integration | undefined> {
  const owner = await find(table, integrationOwnerKey(integrationId), integrationOwner);
  return owner && findIntegration(table, owner.tenant_id, integrationId);
}

const putOwner = ({ tenant_id, id }: Integration): Write =>
  put('integration_owner', { ...integrationOwnerKey(id), v: 1, entity: 'integration_owner', tenant_id });

/** Stores a new integration. `audit`: who asked for it. */
export const putIntegration = (item: Integration, audit: AuditMark): Write[] => [
  put(INTEGRATION, { ...integrationKey(item.tenant_id, item.id), ...item, audit }, absent('pk')),
  putOwner(item),
];

/**
 * Changes an integration. Demands that it is as it was read. An earlier release has stored no owner beside
 * it.
 */
export const replaceIntegration = (before: Integration, after: Integration, audit: AuditMark): Write[] => [
  put(
    INTEGRATION,
    { ...integrationKey(after.tenant_id, after.id), ...after, audit },
    equals('sealed', before.sealed),
    equals('name', before.name),
  ),
  putOwner(after),
];

/** Removes an integration. Demands that it is there. */
export const removeIntegration = (tenantId: string, integrationId: string): Write[] => [
  remove(INTEGRATION, integrationKey(tenantId, integrationId), present('pk')),
  remove('integration_owner', integrationOwnerKey(integrationId)),
  countOneLess({ tenantId }, 'integrations'),
];
