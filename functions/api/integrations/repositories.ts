import { clock, keys, repositoryLists, table } from '../../../lib/container.ts';
import { listRepositories } from '../../../lib/features/integrations/list-repositories.ts';
import { listRepositories as row } from '../../../lib/features/integrations/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listRepositories);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  repositoryLists: repositoryLists(),
}));
