import { getHome as row } from '../../../lib/contract/routes/console-pages.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, async (_, { baseUrl }) => ({ location: `${baseUrl}/console/` }));
export const handler = create(() => ({}));
