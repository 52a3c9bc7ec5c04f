import { listRepositories } from '../../../lib/app/integrations/list-repositories.ts';
import { clock, keys, repositoryLists, table } from '../../../lib/container.ts';
import { listRepositories as row } from '../../../lib/contract/routes/integrations.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listRepositories);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  repositoryLists: repositoryLists(),
}));
