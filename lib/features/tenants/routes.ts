import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { page } from '../../contract/validation/query.ts';
import { createTenantBody, tenantListView, tenantView } from './shape.ts';

export const createTenant = route({
  operation: 'createTenant',
  method: 'POST',
  path: '/v2/tenants',
  handler: 'functions/api/tenants/create.ts',
  access: ['table:get', 'table:put'],
  audit: ['tenant.create'],
  area: 'identity',
  permission: 'tenants:write',
  summary: 'Make another tenant of the organization',
  success: 201,
  body: createTenantBody,
  response: tenantView,
  errors: ['state_forbids'],
  variables: ['MANAGED_COMPUTE'],
});

export const listTenants = route({
  operation: 'listTenants',
  method: 'GET',
  path: '/v2/tenants',
  handler: 'functions/api/tenants/list.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'tenants:read',
  summary: 'List the tenants of the organization, newest first',
  success: 200,
  query: z.object(page),
  response: tenantListView,
});
