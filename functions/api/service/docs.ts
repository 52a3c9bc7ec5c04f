import { viewerPage } from '../../../lib/app/service/viewer.ts';
import { getDocs as row } from '../../../lib/contract/routes/service.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, viewerPage);
export const handler = create(() => ({}));
