import { clock, keys, repositories, settings, table } from '../../../lib/container.ts';
import { listBranches } from '../../../lib/features/repositories/branches.ts';
import { listBranches as row } from '../../../lib/features/repositories/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listBranches);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  repositories: repositories(),
  settings: settings(),
}));
