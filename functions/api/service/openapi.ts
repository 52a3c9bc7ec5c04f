import { description } from '../../../lib/app/service/api-docs.ts';
import { apiDocs } from '../../../lib/container.ts';
import { getOpenApi as row } from '../../../lib/contract/routes/service.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, description);
export const handler = create(() => ({ apiDocs: apiDocs() }));
