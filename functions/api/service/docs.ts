import { apiDocsPage } from '../../../lib/features/service/api-docs.ts';
import { getDocs as row } from '../../../lib/features/service/routes.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, apiDocsPage);
export const handler = create(() => ({}));
