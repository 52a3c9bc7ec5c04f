import { hostProblem } from '../../adapters/outbound/addresses.ts';
import { ValidationError } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { sealCredentials } from '../../core/git-credentials.ts';
import { type Integration, putIntegration } from '../../core/items/integrations.ts';
import { withinLimit } from '../../core/limits.ts';
import { transact } from '../../store/dynamodb/transact.ts';
import type { createIntegration as row } from './routes.ts';
import type { IntegrationView } from './shape.ts';
import { integrationViewOf } from './view.ts';

/** Keeps the token of a host, sealed. Throws 422 for a host that is not to be reached from here. */
export async function createIntegration(
  deps: Pick<Deps, 'table' | 'clock' | 'keys' | 'settings' | 'idempotency'>,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<IntegrationView> {
  checkHost(deps.settings, body.host);
  const { tenantId } = caller;
  const id = deps.clock.orderedId();
  const item: Integration = {
    v: 2,
    entity: 'integration',
    tenant_id: tenantId,
    id,
    type: body.type,
    name: body.name ?? body.host,
    host: body.host,
    sealed: await sealCredentials(deps, { tenantId, integrationId: id }, body),
    has_webhook_secret: body.webhook_secret !== undefined,
    submodules: body.submodules ?? false,
    created_at: new Date(deps.clock.now()).toISOString(),
    created_by: caller.userId,
  };
  const shown = integrationViewOf(item);
  const audit = auditMarkOf(deps, { action: 'integration.create' }, caller);
  const writes = [...putIntegration(item, audit), ...deps.idempotency.record(shown)];
  await withinLimit(deps, { tenantId }, 'integrations', (counted) =>
    transact(deps.table, [...writes, counted]),
  );
  return shown;
}

function checkHost({ addresses }: Deps['settings'], host: string): void {
  const problem = hostProblem(new URL(`https://${host}/`), addresses);
  if (problem === undefined) return;
  throw new ValidationError([
    { loc: ['body', 'host'], type: 'value_error', msg: `Value error, ${problem}`, input: host },
  ]);
}
