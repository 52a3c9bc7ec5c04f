import { clock, keys, repositoryLists, table, tokenChecks } from '../../../lib/container.ts';
import { testIntegration as row } from '../../../lib/features/integrations/routes.ts';
import { testIntegration } from '../../../lib/features/integrations/test.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, testIntegration);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  repositoryLists: repositoryLists(),
  tokenChecks: tokenChecks(),
}));
