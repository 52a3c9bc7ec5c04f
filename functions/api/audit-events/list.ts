import { clock, table } from '../../../lib/container.ts';
import { listAuditEvents } from '../../../lib/features/audit/list.ts';
import { listAuditEvents as row } from '../../../lib/features/audit/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listAuditEvents);
export const handler = create(() => ({ table: table(), clock }));
