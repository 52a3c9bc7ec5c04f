import { installationDefaults, limitDefaults, type TenantLimits } from './defaults.ts';
import type { Bounds } from './row.ts';

// What is the same on AWS and in the embedded runtime.

const DAYS = { unit: 'days', min: 1, max: 36_500, whole: true } as const;

/** How long a deploy waits for its listener. `bounds`: AWS counts whole seconds. */
export const waits = (bounds: Omit<Bounds, 'unit'>) =>
  ({
    unclaimedSeconds: {
      does: 'a deploy that no listener claims fails after this time',
      ...bounds,
      unit: 'seconds',
      default: installationDefaults.unclaimedSeconds,
    },
    silentSeconds: {
      does: 'a deploy whose listener goes silent fails after this time',
      ...bounds,
      unit: 'seconds',
      default: installationDefaults.silentSeconds,
    },
  }) as const;

export const retention = {
  keptArtifacts: {
    does: "number of a deployment's newest artifacts to keep, besides those in use",
    unit: 'count',
    default: installationDefaults.keptArtifacts,
    min: 1,
    max: 1000,
    whole: true,
  },
  auditDays: { does: 'retention of audit events', ...DAYS, default: installationDefaults.auditDays },
  keyDays: {
    does: 'longest life of a key that is made in the console or with a bearer token. See [Identity](identity.md#api-keys)',
    ...DAYS,
    default: installationDefaults.keyDays,
  },
} as const;

export const runtimeText =
  'what `runtime: auto` is for deployments that have no revision yet: `auto` (what is usual where they run), `durable`, `dev` or `licensed`. Where it does not fit a listener, the usual one is taken. See [Deploying](deploying.md#what-runs-a-langgraphjson)';
/** Whoever stores an event knows all webhooks of its tenant, so a setting raises them no further. */
const WEBHOOKS_MAX = 100;

export const LIMIT = { unit: 'count', min: 1, max: 100_000, whole: true } as const;

/** How much a tenant may have. */
export const tenantLimits = {
  deploymentsMax: {
    does: 'deployments of a tenant, those being deleted included. See [Limits](identity.md#limits)',
    ...LIMIT,
    default: limitDefaults.deployments,
  },
  listenersMax: { does: 'listeners of a tenant', ...LIMIT, default: limitDefaults.listeners },
  webhooksMax: {
    does: `webhooks of a tenant, at most ${WEBHOOKS_MAX}`,
    ...LIMIT,
    max: WEBHOOKS_MAX,
    default: limitDefaults.webhooks,
  },
  integrationsMax: { does: 'integrations of a tenant', ...LIMIT, default: limitDefaults.integrations },
  keysMax: {
    does: "API keys of a tenant, and as many of an organization's own",
    ...LIMIT,
    default: limitDefaults.keys,
  },
  waitingRevisionsMax: {
    does: 'revisions of a tenant that wait behind another one',
    ...LIMIT,
    default: limitDefaults.waitingRevisions,
  },
} as const satisfies Record<`${keyof TenantLimits}Max`, unknown>;

/** The settings of `tenantLimits`, read, as limits. */
export const limitsOf = (read: Record<keyof typeof tenantLimits, number>): TenantLimits => ({
  deployments: read.deploymentsMax,
  listeners: read.listenersMax,
  webhooks: read.webhooksMax,
  integrations: read.integrationsMax,
  keys: read.keysMax,
  waitingRevisions: read.waitingRevisionsMax,
});

/** What the settings of bearer tokens do. */
export const oidcTexts = {
  oidcIssuer: 'issuer of bearer tokens. See [Identity](identity.md)',
  oidcAudience: 'accepted audience of bearer tokens',
  oidcIssuers:
    'more issuers, separated by commas, whose tokens are exchanged for keys, such as `https://token.actions.githubusercontent.com`. See [Identity](identity.md#keys-for-ci)',
  oidcClientId: "the console's client at the issuer. See [Console](console.md#sign-in)",
  oidcTokenEndpoint: 'its token endpoint, where that is on another host',
} as const;

/** The token endpoint that holds unless one is given. */
export const METADATA_ENDPOINT = "the issuer's metadata";
