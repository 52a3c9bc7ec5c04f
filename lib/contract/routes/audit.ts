import { auditEventListView, listAuditEventsQuery } from '../audit.ts';
import { route } from './route.ts';

export const listAuditEvents = route({
  operation: 'listAuditEvents',
  method: 'GET',
  path: '/v2/audit-events',
  handler: 'functions/api/audit-events/list.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'audit:read',
  summary:
    'List who did what in the tenant, newest first; a request is listed a moment after it was answered',
  success: 200,
  query: listAuditEventsQuery,
  response: auditEventListView,
});
