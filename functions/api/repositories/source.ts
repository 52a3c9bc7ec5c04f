import { clock, keys, repositories, settings, table } from '../../../lib/container.ts';
import { getSource as row } from '../../../lib/features/repositories/routes.ts';
import { getSource } from '../../../lib/features/repositories/source.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getSource);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  repositories: repositories(),
  settings: settings(),
}));
