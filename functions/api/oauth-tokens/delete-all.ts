import { clock, keys, oauth, settings, table } from '../../../lib/container.ts';
import { deleteTokens } from '../../../lib/features/oauth-tokens/delete-all.ts';
import { deleteTokens as row } from '../../../lib/features/oauth-tokens/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteTokens);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  oauth: oauth(),
  settings: settings(),
}));
