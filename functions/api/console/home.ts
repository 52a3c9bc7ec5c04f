import { getHome as row } from '../../../lib/features/console-pages/routes.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, async (_, { baseUrl }) => ({ location: `${baseUrl}/console/` }));
export const handler = create(() => ({}));
