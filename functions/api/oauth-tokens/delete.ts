import { clock, keys, oauth, settings, table } from '../../../lib/container.ts';
import { deleteToken } from '../../../lib/features/oauth-tokens/delete.ts';
import { deleteToken as row } from '../../../lib/features/oauth-tokens/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteToken);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  oauth: oauth(),
  settings: settings(),
}));
