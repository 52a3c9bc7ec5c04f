import { deploymentPlace } from '../../../lib/features/console-pages/place.ts';
import { openConsole as row } from '../../../lib/features/console-pages/routes.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, deploymentPlace);
export const handler = create(() => ({}));
