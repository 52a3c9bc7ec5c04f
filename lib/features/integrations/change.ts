import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { openCredentials, sealCredentials } from '../../core/git-credentials.ts';
import { findIntegration, type Integration, replaceIntegration } from '../../core/items/integrations.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import type { changeIntegration as row } from './routes.ts';
import type { IntegrationView } from './shape.ts';
import { integrationViewOf } from './view.ts';

/** Changes the name, token or webhook secret of an integration. What is not sent stays. */
export function changeIntegration(
  deps: Pick<Deps, 'table' | 'clock' | 'keys' | 'idempotency'>,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<IntegrationView> {
  const { tenantId } = caller;
  const { integration_id: id } = params;
  return retryRaces(deps.table, async () => {
    const before = await findIntegration(deps.table, tenantId, id);
    if (before === undefined) throw refuse('integration_not_found', { id });
    const { token, webhook_secret: secret, name, submodules } = body;
    const isSealedAnew = token !== undefined || secret !== undefined;
    const after: Integration = {
      ...before,
      name: name ?? before.name,
      ...(submodules !== undefined && { submodules }),
      ...(isSealedAnew && { sealed: await sealedAnew(deps, before, body) }),
      has_webhook_secret: before.has_webhook_secret || secret !== undefined,
    };
    const shown = integrationViewOf(after);
    const audit = auditMarkOf(deps, { action: 'integration.change' }, caller);
    const writes = replaceIntegration(before, after, audit);
    await transact(deps.table, [...writes, ...deps.idempotency.record(shown)]);
    return shown;
  });
}

async function sealedAnew(
  deps: Pick<Deps, 'keys'>,
  before: Integration,
  { token, webhook_secret }: { token?: string | undefined; webhook_secret?: string | undefined },
): Promise<string> {
  const stored = await openCredentials(deps, before);
  const credentials = {
    token: token ?? stored.token,
    webhook_secret: webhook_secret ?? stored.webhook_secret,
  };
  return sealCredentials(deps, { tenantId: before.tenant_id, integrationId: before.id }, credentials);
}
