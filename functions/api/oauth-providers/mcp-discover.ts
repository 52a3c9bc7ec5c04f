import { clock, keys, oauthDiscovery, settings, table } from '../../../lib/container.ts';
import { discoverProvider } from '../../../lib/features/oauth-providers/mcp-discover.ts';
import { discoverProvider as row } from '../../../lib/features/oauth-providers/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, discoverProvider);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  oauthDiscovery: oauthDiscovery(),
  settings: settings(),
}));
