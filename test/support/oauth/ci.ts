import { createGuardedFetch } from '../../../lib/adapters/outbound/guarded-fetch.ts';
import { tokenIssuers } from '../../../lib/adapters/token-issuers.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { createTokenRule } from '../../../lib/features/token-rules/create.ts';
import { deleteTokenRule } from '../../../lib/features/token-rules/delete.ts';
import { exchangeToken } from '../../../lib/features/token-rules/exchange.ts';
import { tokenRefused } from '../../../lib/features/token-rules/refusals.ts';
import * as rows from '../../../lib/features/token-rules/routes.ts';
import { anOrganization } from '../world/identity-requests.ts';
import { aWorld, type World } from '../world/world.ts';
import { anIssuer, type Issuer } from './issuer.ts';

/** The address of an installation whose tokens are for it. */
export const ADDRESS = 'https://slipway.example';
export const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const JWT = 'urn:ietf:params:oauth:token-type:jwt';

/** What GitHub says of a job, as far as anything here reads it. */
export const githubJob = {
  repository_id: '731245980',
  repository: 'acme/agent',
  ref: 'refs/heads/main',
  event_name: 'push',
  run_id: '1234567890',
};
/** The same of GitLab, whose `ref` is no full one. */
export const gitlabJob = {
  project_id: '42',
  project_path: 'acme/agent',
  ref: 'main',
  ref_path: 'refs/heads/main',
  ref_type: 'branch',
  pipeline_source: 'push',
  pipeline_id: '77',
};

/** Exchanges with tokens of these issuers, of which the first is that of bearer tokens where it is `own`. */
export const exchangesOf = (issuers: readonly string[], { clock }: Pick<Deps, 'clock'>, own?: string) =>
  tokenIssuers({ issuers, own }, () => createGuardedFetch({ allowedHosts: [], loopback: true }), clock.now);

/** A job's token, for this installation. */
export const jobToken = (issuer: Issuer, claims: Record<string, unknown> = {}) =>
  issuer.token('repo:acme/agent:ref:refs/heads/main', {
    aud: ADDRESS,
    jti: crypto.randomUUID(),
    ...githubJob,
    ...claims,
  });

type Asking = Pick<World, 'deps' | 'caller'>;

export const makeRule = async (world: Asking, body: object) =>
  createTokenRule(
    world.deps,
    {
      body: rows.createTokenRule.body.parse({
        name: 'deploys',
        issuer: world.deps.tokenIssuers.issuers[0],
        repository_id: githubJob.repository_id,
        role: 'developer',
        ...body,
      }),
    },
    world.caller,
  );

export const dropRule = (world: Asking, id: string) =>
  deleteTokenRule(world.deps, { params: { rule_id: id } }, world.caller);

/** Exchanges a token, as a job does. `of` stands for fields of the request. */
export const exchange = async (
  { deps }: Pick<World, 'deps'>,
  token: string,
  of: object = {},
  header = {},
  sourceAddress = '192.0.2.1',
) =>
  exchangeToken(deps, {
    body: rows.exchangeToken.body.parse({
      grant_type: GRANT,
      subject_token: token,
      subject_token_type: JWT,
      ...of,
    }),
    headers: header,
    baseUrl: ADDRESS,
    requestId: 'a request',
    sourceAddress,
  });

/** An organization that takes tokens of an issuer of jobs. */
export async function withCi() {
  const world = await aWorld();
  const issuer = await anIssuer(world.deps.clock.now);
  world.deps.tokenIssuers = exchangesOf([issuer.url], world.deps);
  const admin = await anOrganization(world);
  return { world, issuer, admin };
}

/** The text of a refusal of an exchange. */
export const unexchanged = (reason: string): string => `400 ${tokenRefused(reason).message}`;
