import { apiDocs } from '../../../lib/container.ts';
import { description } from '../../../lib/features/service/api-docs.ts';
import { getOpenApi as row } from '../../../lib/features/service/routes.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, description);
export const handler = create(() => ({ apiDocs: apiDocs() }));
