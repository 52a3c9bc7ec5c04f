import { clock, table } from '../../../lib/container.ts';
import { listAttention } from '../../../lib/features/activity/attention.ts';
import { listAttention as row } from '../../../lib/features/activity/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listAttention);
export const handler = create(() => ({ table: table(), clock }));
