import { deploymentPlace } from '../../../lib/app/console/place.ts';
import { openConsole as row } from '../../../lib/contract/routes/console-pages.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, deploymentPlace);
export const handler = create(() => ({}));
