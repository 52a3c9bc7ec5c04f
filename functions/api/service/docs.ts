import { apiDocsPage } from '../../../lib/app/service/api-docs.ts';
import { getDocs as row } from '../../../lib/contract/routes/service.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, apiDocsPage);
export const handler = create(() => ({}));
