import { listAuditEvents } from '../../../lib/app/audit-events/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listAuditEvents as row } from '../../../lib/contract/routes/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listAuditEvents);
export const handler = create(() => ({ table: table(), clock }));
