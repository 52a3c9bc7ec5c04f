import { clock, table } from '../../../lib/container.ts';
import { listListeners } from '../../../lib/features/listeners/list.ts';
import { listListeners as row } from '../../../lib/features/listeners/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listListeners);
export const handler = create(() => ({ table: table(), clock }));
