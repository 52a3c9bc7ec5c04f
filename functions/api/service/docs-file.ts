import { viewerFile } from '../../../lib/app/service/viewer.ts';
import { viewer } from '../../../lib/container.ts';
import { getDocsFile as row } from '../../../lib/contract/routes/service.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, viewerFile);
export const handler = create(() => ({ viewer: viewer() }));
