import { clock, logs, table } from '../../../lib/container.ts';
import { releaseThreads } from '../../../lib/features/revisions/release-threads.ts';
import { releaseThreads as row } from '../../../lib/features/revisions/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, releaseThreads);
export const handler = create(() => ({ table: table(), clock, logs: logs() }));
