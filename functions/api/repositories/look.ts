import { clock, keys, repositories, settings, table } from '../../../lib/container.ts';
import { lookAtRepository } from '../../../lib/features/repositories/look.ts';
import { lookAtRepository as row } from '../../../lib/features/repositories/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, lookAtRepository);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  repositories: repositories(),
  settings: settings(),
}));
