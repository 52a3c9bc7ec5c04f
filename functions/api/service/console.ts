import { openConsole as row } from '../../../lib/contract/routes/service.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

/** There is no console yet: what can be done with the deployment stands in the description of the API. */
export const create = publicEndpoint(row, async ({ baseUrl }) => ({ location: `${baseUrl}/docs` }));
export const handler = create(() => ({}));
