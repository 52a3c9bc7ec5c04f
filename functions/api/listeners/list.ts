import { listListeners } from '../../../lib/app/listeners/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listListeners as row } from '../../../lib/contract/routes/listeners.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listListeners);
export const handler = create(() => ({ table: table(), clock }));
