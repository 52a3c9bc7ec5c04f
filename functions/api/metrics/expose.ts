import { clock, table } from '../../../lib/container.ts';
import { exposeMetrics } from '../../../lib/features/metrics/expose.ts';
import { exposeMetrics as row } from '../../../lib/features/metrics/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, exposeMetrics);
export const handler = create(() => ({ table: table(), clock }));
