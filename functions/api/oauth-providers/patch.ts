import { clock, keys, oauthDiscovery, settings, table } from '../../../lib/container.ts';
import { patchProvider } from '../../../lib/features/oauth-providers/patch.ts';
import { patchProvider as row } from '../../../lib/features/oauth-providers/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, patchProvider);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  oauthDiscovery: oauthDiscovery(),
  settings: settings(),
}));
