import { CREATED, ORGANIZATION, page, TENANT } from '../../contract/example-values.ts';

const tenant = { id: TENANT, organization_id: ORGANIZATION, name: 'support', created_at: CREATED };

export const tenantExamples = {
  createTenant: { body: { name: 'support' }, response: tenant },
  listTenants: page(tenant),
};
