import { deleteTokens } from '../../../lib/app/oauth/tokens/delete-all.ts';
import { clock, keys, oauth, settings, table } from '../../../lib/container.ts';
import { deleteTokens as row } from '../../../lib/contract/routes/oauth-tokens.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteTokens);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  oauth: oauth(),
  settings: settings(),
}));
