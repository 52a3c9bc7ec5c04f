import { apiKeyRow } from '../../../lib/core/items/api-keys.ts';
import {
  member,
  memberKey,
  membership,
  membershipKey,
  tenantsOfMember,
} from '../../../lib/core/items/members.ts';
import { apiKeyRows } from '../../../lib/features/api-keys/store.ts';
import { membersOf } from '../../../lib/features/members/store.ts';
import { tenantRow } from '../../../lib/features/tenants/items.ts';
import { tenantRowKey, tenantRows } from '../../../lib/features/tenants/store.ts';
import { collected } from '../../../lib/store/dynamodb/collected.ts';
import { apiKeyRowKey } from '../../../lib/store/keys/index.ts';
import type { QueryCase } from './query-cases.ts';

/** The queries about keys, members and tenants. */
export const ofPeople: QueryCase[] = [
  {
    name: 'keys of a tenant',
    file: 'lib/features/api-keys/store.ts',
    shape: apiKeyRow,
    key: (id) => apiKeyRowKey({ organizationId: 'o', tenantId: id }, 'key'),
    ask: (table, id) => collected(apiKeyRows(table, { organizationId: 'o', tenantId: id }, 10)),
  },
  {
    name: 'members of a tenant',
    file: 'lib/features/members/store.ts',
    shape: member,
    key: (id) => memberKey(id, 'member'),
    ask: (table, id) => collected(membersOf(table, id, 10)),
  },
  {
    name: 'tenants of a member',
    file: 'lib/core/items/members.ts',
    shape: membership,
    key: (id) => membershipKey(id, 'tenant'),
    ask: (table, id) => tenantsOfMember(table, id, 10),
  },
  {
    name: 'tenants of an organization',
    file: 'lib/features/tenants/store.ts',
    shape: tenantRow,
    key: (id) => tenantRowKey(id, 'tenant'),
    ask: (table, id) => collected(tenantRows(table, id, 10)),
  },
];
