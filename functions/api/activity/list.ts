import { clock, table } from '../../../lib/container.ts';
import { listActivity } from '../../../lib/features/activity/list.ts';
import { listActivity as row } from '../../../lib/features/activity/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listActivity);
export const handler = create(() => ({ table: table(), clock }));
