import { getOk as row } from '../../../lib/features/service/routes.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, async () => ({ ok: true }));
export const handler = create(() => ({}));
