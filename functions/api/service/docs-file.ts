import { apiDocsFile } from '../../../lib/app/service/api-docs.ts';
import { apiDocs } from '../../../lib/container.ts';
import { getDocsFile as row } from '../../../lib/contract/routes/service.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, apiDocsFile);
export const handler = create(() => ({ apiDocs: apiDocs() }));
