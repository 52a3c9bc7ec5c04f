import { collected } from '../../../lib/store/dynamodb/collected.ts';
import { apiKeyRow, apiKeyRows } from '../../../lib/store/identity/api-keys.ts';
import { member, membership, membersOf, tenantsOfMember } from '../../../lib/store/identity/members.ts';
import { tenantRow, tenantRows } from '../../../lib/store/identity/tenants.ts';
import * as keys from '../../../lib/store/keys/index.ts';
import type { QueryCase } from './query-cases.ts';

/** The queries about keys, members and tenants. */
export const ofPeople: QueryCase[] = [
  {
    name: 'keys of a tenant',
    file: 'lib/store/identity/api-keys.ts',
    shape: apiKeyRow,
    key: (id) => keys.apiKeyRowKey({ organizationId: 'o', tenantId: id }, 'key'),
    ask: (table, id) => collected(apiKeyRows(table, { organizationId: 'o', tenantId: id }, 10)),
  },
  {
    name: 'members of a tenant',
    file: 'lib/store/identity/members.ts',
    shape: member,
    key: (id) => keys.memberKey(id, 'member'),
    ask: (table, id) => collected(membersOf(table, id, 10)),
  },
  {
    name: 'tenants of a member',
    file: 'lib/store/identity/members.ts',
    shape: membership,
    key: (id) => keys.membershipKey(id, 'tenant'),
    ask: (table, id) => tenantsOfMember(table, id, 10),
  },
  {
    name: 'tenants of an organization',
    file: 'lib/store/identity/tenants.ts',
    shape: tenantRow,
    key: (id) => keys.tenantRowKey(id, 'tenant'),
    ask: (table, id) => collected(tenantRows(table, id, 10)),
  },
];
