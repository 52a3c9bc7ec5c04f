import { HostFailed, ListingRefused } from '../../adapters/repository-lists.ts';
import type { CheckedToken } from '../../adapters/token-checks.ts';
import { refuse } from '../../contract/errors.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { openCredentials } from '../../core/git-credentials.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import { findIntegration, type Integration } from '../../core/items/integrations.ts';
import { rowsOf } from '../deployments/store.ts';
import { latestDelivery } from '../pushes/store.ts';
import type { testIntegration as row } from './routes.ts';
import type { IntegrationTestView } from './shape.ts';

type TestDeps = Pick<Deps, 'table' | 'keys' | 'tokenChecks' | 'repositoryLists'>;

/**
 * Asks the host of an integration what its token may do, and looks whether deliveries come and which
 * deployments use it. Whatever is wrong is told, with what to do, and none of it is an error of the request.
 */
export async function testIntegration(
  deps: TestDeps,
  { params, baseUrl }: Pick<RouteInput<typeof row>, 'params' | 'baseUrl'>,
  { tenantId }: Caller,
): Promise<RouteOutput<typeof row>> {
  const { integration_id: id } = params;
  const integration = await findIntegration(deps.table, tenantId, id);
  if (integration === undefined) throw refuse('integration_not_found', { id });
  const { token } = await openCredentials(deps, integration);
  const access = { type: integration.type, host: integration.host, token };
  const [checked, repositories, webhook, deployments] = await Promise.all([
    answered(() => deps.tokenChecks.check(access)),
    repositoriesOf(deps, access),
    webhookOf(deps, integration, baseUrl),
    deploymentsOf(deps, integration),
  ]);
  return {
    token: tokenVerdict(integration.host, checked),
    repositories,
    statuses: statusesVerdict(checked),
    webhook,
    deployments,
  };
}

type Answered = { checked: CheckedToken; failure?: never } | { checked?: never; failure: string };

async function answered(check: () => Promise<CheckedToken>): Promise<Answered> {
  try {
    return { checked: await check() };
  } catch (error) {
    if (!(error instanceof HostFailed)) throw error;
    return { failure: error.message };
  }
}

/** `December 1, 2026`. */
const dayOf = (iso: string): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso));

function tokenVerdict(host: string, { checked, failure }: Answered): IntegrationTestView['token'] {
  const unknown = { scopes: null, missing: [], user: null, expires_at: null };
  if (checked === undefined)
    return {
      ok: null,
      says: `The token could not be tested: ${failure}. Try again in a moment.`,
      ...unknown,
    };
  if (!checked.isTaken)
    return {
      ok: false,
      says: `${host} does not take the token: it has ended, was revoked, or was copied in part. Make a new one there and save it here.`,
      ...unknown,
    };
  const { user, expiresAt, scopes, missing } = checked;
  const ends = expiresAt === undefined ? '' : ` It ends on ${dayOf(expiresAt)}.`;
  const lacks = missing.length === 0 ? '' : ` It lacks ${missing.join(' and ')}: make a new one with it.`;
  return {
    ok: missing.length === 0,
    says: `${host} takes the token.${lacks}${ends}`,
    scopes: scopes === undefined ? null : [...scopes],
    missing: [...missing],
    user: user ?? null,
    expires_at: expiresAt ?? null,
  };
}

function statusesVerdict({ checked }: Answered): IntegrationTestView['statuses'] {
  if (checked?.isTaken !== true)
    return { ok: null, says: 'Whether commits can show what became of them is known once the token works.' };
  const { maySetStatuses: ok } = checked;
  if (ok === undefined)
    return { ok: null, says: 'The host does not tell whether the token may set the statuses of commits.' };
  return {
    ok,
    says: ok
      ? 'Commits show what became of them.'
      : 'The token may not set the statuses of commits, so they do not show what became of them. Everything else works without.',
  };
}

async function repositoriesOf(
  { repositoryLists }: TestDeps,
  access: Parameters<Deps['repositoryLists']['list']>[0],
): Promise<IntegrationTestView['repositories']> {
  try {
    const [first] = await repositoryLists.list(access, { offset: 0, limit: 1 });
    return first === undefined
      ? {
          ok: false,
          says: 'The token sees no repository. At the host, give it access to those that are deployed.',
        }
      : { ok: true, says: `The token sees repositories, ${first.owner}/${first.name} among them.` };
  } catch (error) {
    if (error instanceof ListingRefused)
      return { ok: false, says: `Repositories cannot be listed: ${error.message}.` };
    if (error instanceof HostFailed)
      return { ok: null, says: `Repositories could not be listed: ${error.message}. Try again in a moment.` };
    throw error;
  }
}

async function webhookOf(
  { table }: TestDeps,
  { tenant_id: tenantId, id: integrationId, type, has_webhook_secret: hasSecret }: Integration,
  baseUrl: string,
): Promise<IntegrationTestView['webhook']> {
  const last = await latestDelivery(table, { tenantId, integrationId });
  const place = {
    url: `${baseUrl}/v1/integrations/${type}/${integrationId}/webhook`,
    last_delivery_at: last?.at ?? null,
    last_event: last?.event ?? null,
  };
  if (!hasSecret)
    return {
      ok: false,
      says: 'There is no webhook secret, so no delivery is taken. Save one here, and the same at the host.',
      ...place,
    };
  return last === undefined
    ? {
        ok: null,
        says: 'No delivery came in the last 30 days. Add the address at the host; a delivery with another secret is refused and not kept, and the host shows the refusal.',
        ...place,
      }
    : { ok: true, says: 'Deliveries come, and their signatures hold.', ...place };
}

/** A tenant with more has them looked through in part. */
const DEPLOYMENTS_MAX = 500;
const AT_ONCE = 25;

async function deploymentsOf(
  { table }: TestDeps,
  { tenant_id: tenantId, id }: Integration,
): Promise<IntegrationTestView['deployments']> {
  const ids: string[] = [];
  for await (const { sk } of rowsOf({ table, tenantId, others: true, deleted: false }, DEPLOYMENTS_MAX))
    if (ids.push(sk) === DEPLOYMENTS_MAX) break;
  const found: IntegrationTestView['deployments'] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE).map((each) => findDeployment(table, tenantId, each));
    for (const deployment of await Promise.all(some)) {
      if (deployment?.config.integration_id !== id) continue;
      const { name, config } = deployment;
      const { repo_url: repoUrl, build_on_push: builds } = config;
      found.push({ id: deployment.id, name, repo_url: repoUrl ?? null, build_on_push: builds ?? false });
    }
  }
  return found;
}
