import { expect } from 'vitest';
import { hashOf, newApiKey } from '../../../lib/app/identity/api-key.ts';
import { apiKeyKey, apiKeyRowKey, memberKey } from '../../../lib/store/keys/index.ts';
import type { MockedTable } from '../../support/table/mocked-table.ts';
import { ids, owner } from '../../support/table/stored-items.ts';
import type { Case } from './api-cases.ts';

const AT = '2026-01-01T00:00:00.000Z';
const badLimit: Case['fails'][number] = [
  'a limit of none',
  422,
  [expect.objectContaining({ loc: ['query', 'limit'], type: 'greater_than_equal' })],
  { request: { query: { limit: '0' } } },
];

/** One success and at least one failure of the operations on keys, members and tenants. */
export function identityCases(table: MockedTable): Record<string, Case> {
  const seedListedKey = (): void => {
    const hash = hashOf(newApiKey());
    const key = { v: 1, entity: 'api_key', id: ids.key, organization_id: ids.organization };
    const of = { tenant_id: ids.tenant, user_id: ids.user, role: 'viewer', name: 'listed', hint: 'slp_…' };
    table.seed(apiKeyKey(hash), { ...key, ...of, created_at: AT });
    const row = { v: 1, entity: 'api_key_row', hash };
    table.seed(apiKeyRowKey({ organizationId: ids.organization, tenantId: owner.tenantId }, ids.key), row);
  };
  return {
    createApiKey: {
      request: { body: { name: 'k', role: 'viewer' } },
      shows: { name: 'k', key: expect.stringMatching(/^slp_\w{49}$/), tenant_id: ids.tenant },
      also: {
        given: () => undefined,
        request: { body: { name: 'l', role: 'listener', listener_id: ids.listener } },
      },
      fails: [
        [
          'a role above its maker’s',
          403,
          "API key lacks permission 'tenants:read'",
          { request: { body: { name: 'k', role: 'organization_admin' } } },
        ],
        [
          'another tenant',
          403,
          `API key has no part in tenant '${ids.unknown}'`,
          { request: { body: { name: 'k', role: 'viewer', tenant_id: ids.unknown } } },
        ],
        [
          'a listener that is not there',
          404,
          `Listener ID ${ids.listener} not found.`,
          {
            given: () => table.refuseOnce((write) => write.ConditionCheck !== undefined),
            request: { body: { name: 'l', role: 'listener', listener_id: ids.listener } },
          },
        ],
        [
          'a time that is over',
          422,
          [expect.objectContaining({ loc: ['body', 'expires_at'], type: 'datetime_future' })],
          { request: { body: { name: 'k', role: 'viewer', expires_at: AT } } },
        ],
      ],
    },
    listApiKeys: {
      given: seedListedKey,
      shows: { resources: [expect.objectContaining({ id: ids.key, name: 'listed', last_used_at: null })] },
      fails: [
        badLimit,
        [
          'keys of the organization',
          403,
          "API key lacks permission 'organization_keys:read'",
          { request: { query: { scope: 'organization' } } },
        ],
      ],
    },
    revokeApiKey: {
      given: seedListedKey,
      fails: [
        [
          'another key',
          404,
          `API key ID ${ids.key} not found.`,
          { given: () => table.forget(apiKeyRowKey({ organizationId: '', tenantId: ids.tenant }, ids.key)) },
        ],
      ],
    },
    createTenant: {
      request: { body: { name: 'next' } },
      shows: { name: 'next', organization_id: ids.organization },
      fails: [['no name', 422, [expect.objectContaining({ type: 'missing' })], { request: { body: {} } }]],
    },
    listTenants: { shows: { resources: [] }, fails: [badLimit] },
    putMember: {
      request: { body: { user_id: 'auth0|alice', role: 'developer' } },
      shows: { user_id: 'auth0|alice', role: 'developer' },
      fails: [
        [
          'a role above its giver’s',
          403,
          "API key lacks permission 'tenants:read'",
          { request: { body: { user_id: 'auth0|alice', role: 'organization_admin' } } },
        ],
      ],
    },
    listMembers: {
      given: () => {
        const item = { v: 1, entity: 'member', organization_id: ids.organization, created_at: AT };
        table.seed(memberKey(ids.tenant, ids.member), { ...item, user_id: 'alice', role: 'viewer' });
      },
      shows: { resources: [{ id: ids.member, user_id: 'alice', role: 'viewer', created_at: AT }] },
      fails: [badLimit],
    },
    removeMember: {
      fails: [
        [
          'another member',
          404,
          `Member ID ${ids.member} not found.`,
          { given: () => table.refuseOnce((write) => write.Update !== undefined) },
        ],
      ],
    },
  };
}
