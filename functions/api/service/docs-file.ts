import { apiDocs } from '../../../lib/container.ts';
import { apiDocsFile } from '../../../lib/features/service/api-docs.ts';
import { getDocsFile as row } from '../../../lib/features/service/routes.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, apiDocsFile);
export const handler = create(() => ({ apiDocs: apiDocs() }));
