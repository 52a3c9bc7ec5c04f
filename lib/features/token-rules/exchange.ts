import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Deps } from '../../core/deps.ts';
import { hashOf } from '../../core/identity/api-key.ts';
import { NO_KEY } from '../../core/identity/bearer.ts';
import { apiKeyWrites } from '../../core/identity/issue-api-key.ts';
import { networkOf } from '../../core/identity/network.ts';
import { tenantIdIn } from '../../core/items/tenants.ts';
import type { TokenRule } from '../../core/items/token-rules.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { countWithin } from '../device-login/store.ts';
import { type CiJob, jobIn, rulesThatFit } from './match.ts';
import {
  grantRefused,
  ruleMissing,
  ruleUnfit,
  tenantUnclear,
  tokenRefused,
  tooManyExchanges,
} from './refusals.ts';
import type { exchangeToken as row } from './routes.ts';
import { checkTokenRule, rulesAbout, USED_TOKEN, useToken } from './store.ts';

/** The longest that a job waits for what it has deployed; a key that got out is of no use soon after. */
export const KEY_SECONDS = 3600;

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPES = ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token'];
const NAME_LENGTH_MAX = 128;

/** Jobs of many repositories may share one address. */
export const EXCHANGES_MAX = 300;
const EXCHANGES_MILLISECONDS = 600_000;

type ExchangeDeps = Pick<Deps, 'table' | 'clock' | 'tokenIssuers'>;
type Input = Pick<RouteInput<typeof row>, 'body' | 'headers' | 'baseUrl' | 'requestId' | 'sourceAddress'>;

/**
 * Exchanges a token of CI for a key of an hour, as the rule of a tenant gives it. A token counts once. Throws
 * the errors of its row; what they say of a token is said of one that its issuer has signed.
 */
export async function exchangeToken(
  deps: ExchangeDeps,
  { body, headers, baseUrl, requestId, sourceAddress }: Input,
): Promise<RouteOutput<typeof row>> {
  if (body.grant_type !== GRANT_TYPE) throw grantRefused();
  if (!TOKEN_TYPES.includes(body.subject_token_type))
    throw tokenRefused(`'subject_token_type' must be one of ${TOKEN_TYPES.join(' and ')}`);
  const token = await deps.tokenIssuers.verify(body.subject_token, baseUrl);
  if ('reason' in token) throw tokenRefused(token.reason);
  await countExchange(deps, sourceAddress);
  const job = jobIn(token.claims);
  if (job === undefined) throw tokenRefused("it has no 'repository_id' and no 'project_id'");
  const rule = await ruleFor(deps, { ...token, job, tenant: body.tenant_id ?? headers.tenantId });
  const key = await keyBy(deps, rule, { ...token, job, requestId });
  return {
    access_token: key,
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'N_A',
    expires_in: KEY_SECONDS,
    tenant_id: rule.tenant_id,
    role: rule.role,
    rule_id: rule.sk,
  };
}

/**
 * Counts what comes from one network, of tokens that an issuer has signed: strangers have those of GitHub
 * too, and what nobody has signed asks the table for nothing.
 */
async function countExchange({ table, clock }: ExchangeDeps, sourceAddress: string): Promise<void> {
  const of = `EXCHANGES#${hashOf(networkOf(sourceAddress))}`;
  const within = { now: clock.now(), milliseconds: EXCHANGES_MILLISECONDS, limit: EXCHANGES_MAX };
  if (!(await countWithin(table, of, within))) throw tooManyExchanges();
}

type Presented = { issuer: string; job: CiJob };

async function ruleFor(
  { table }: ExchangeDeps,
  { issuer, job, tenant }: Presented & { tenant: string | undefined },
): Promise<TokenRule> {
  const missing = ruleMissing(job);
  const named = tenant === undefined ? undefined : tenantIdIn(tenant);
  if (tenant !== undefined && named === undefined) throw missing;
  const { rules, more } = await rulesAbout(table, { issuer, subject: job.subject }, named);
  const [fitting, another] = rulesThatFit(rules, job);
  // Anybody makes rules about any repository: where that of its own organization does not fit, nobody else's
  // takes the job, its code and its secrets.
  const isOfSeveral = new Set(rules.map(({ organization_id }) => organization_id)).size > 1;
  if (more || another !== undefined || (fitting !== undefined && isOfSeveral)) throw tenantUnclear();
  if (fitting !== undefined) return fitting;
  if (rules.length === 0) throw missing;
  throw ruleUnfit(rules, job);
}

type Used = Presented & { userId: string; jti: string; expiresAt: number; requestId: string };

/** Makes the key, unless the token was used or the rule deleted meanwhile. */
async function keyBy(deps: ExchangeDeps, rule: TokenRule, used: Used): Promise<string> {
  const { issuer, job, userId, jti } = used;
  const { repository, ref, runId } = job;
  const asked = { tenantId: rule.tenant_id, userId, keyId: NO_KEY, requestId: used.requestId };
  const { key, writes } = apiKeyWrites(deps, {
    organizationId: rule.organization_id,
    tenantId: rule.tenant_id,
    userId,
    role: rule.role,
    name: `CI of ${repository ?? `${job.subject.claim} ${job.subject.id}`}`.slice(0, NAME_LENGTH_MAX),
    expiresAt: new Date(deps.clock.now() + KEY_SECONDS * 1000).toISOString(),
    exchange: {
      rule_id: rule.sk,
      issuer,
      ...(repository !== undefined && { repository }),
      ...(ref !== undefined && { ref }),
      ...(runId !== undefined && { run_id: runId }),
    },
    audit: auditMarkOf(deps, { action: 'api_key.exchange' }, asked),
  });
  try {
    await transact(deps.table, [useToken(issuer, jti, used.expiresAt), checkTokenRule(rule), ...writes]);
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    throw error.failed.has(USED_TOKEN) ? tokenRefused("it was exchanged before ('jti')") : ruleMissing(job);
  }
  return key;
}
