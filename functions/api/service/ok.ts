import { getOk as row } from '../../../lib/contract/routes/service.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, async () => ({ ok: true }));
export const handler = create(() => ({}));
