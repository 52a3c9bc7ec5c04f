import * as z from 'zod';
import { absent, put } from '../dynamodb/expressions.ts';
import { find } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transact.ts';
import { organizationKey } from '../keys/index.ts';
import type { Table } from '../table.ts';

export const organization = z.object({
  v: z.literal(1),
  entity: z.literal('organization'),
  organization_id: z.string(),
  name: z.string(),
  created_at: z.string(),
});
export type Organization = z.infer<typeof organization>;

export const findOrganization = (table: Table, organizationId: string): Promise<Organization | undefined> =>
  find(table, organizationKey(organizationId), organization);

/** Stores a new organization. */
export const putOrganization = (item: Organization): Write =>
  put('organization', { ...organizationKey(item.organization_id), ...item }, absent('pk'));
