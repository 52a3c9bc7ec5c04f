import { route } from '../../contract/routes/route.ts';
import { auditEventListView, listAuditEventsQuery } from './shape.ts';

export const listAuditEvents = route({
  operation: 'listAuditEvents',
  method: 'GET',
  path: '/v2/audit-events',
  handler: 'functions/api/audit-events/list.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'audit:read',
  summary: 'List the audit events of the tenant, newest first; a request appears a moment after its response',
  success: 200,
  query: listAuditEventsQuery,
  response: auditEventListView,
});
