import { HostFailed, ListingRefused } from '../../adapters/repository-lists.ts';
import { refuse } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { openCredentials } from '../../core/git-credentials.ts';
import { findIntegration } from '../../core/items/integrations.ts';
import type { listRepositories as row } from './routes.ts';

/** What the token of an integration sees on its host, in the host's order. */
export async function listRepositories(
  deps: Pick<Deps, 'table' | 'keys' | 'repositoryLists'>,
  { params, query }: Pick<RouteInput<typeof row>, 'params' | 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const { integration_id: id } = params;
  const integration = await findIntegration(deps.table, caller.tenantId, id);
  if (integration === undefined) throw refuse('integration_not_found', { id });
  const { type, host } = integration;
  const { token } = await openCredentials(deps, integration);
  try {
    const seen = await deps.repositoryLists.list({ type, host, token }, query);
    return seen.map(({ id: number, name, owner, url, defaultBranch }) => ({
      host_integration_id: id,
      id: number ?? null,
      name,
      owner,
      url,
      default_branch: defaultBranch ?? null,
    }));
  } catch (error) {
    if (error instanceof ListingRefused) {
      const reason = `The repositories of integration ${id} cannot be listed: ${error.message}. PATCH /v2/integrations/${id} gives it another token.`;
      throw refuse('state_forbids', { reason });
    }
    if (error instanceof HostFailed) throw refuse('unavailable', { what: error.message });
    throw error;
  }
}
