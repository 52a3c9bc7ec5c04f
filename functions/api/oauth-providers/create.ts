import { clock, keys, oauthDiscovery, settings, table } from '../../../lib/container.ts';
import { createProvider } from '../../../lib/features/oauth-providers/create.ts';
import { createProvider as row } from '../../../lib/features/oauth-providers/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createProvider);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  oauthDiscovery: oauthDiscovery(),
  settings: settings(),
}));
