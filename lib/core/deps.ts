import type { AgentSecrets } from '../adapters/agent-secrets.ts';
import type { Blobs } from '../adapters/blobs.ts';
import type { Builds } from '../adapters/builds.ts';
import type { Changes } from '../adapters/changes.ts';
import type { Clock } from '../adapters/clock.ts';
import type { CommitStatuses } from '../adapters/commit-statuses.ts';
import type { Doorbell, DoorbellWaker, Sockets } from '../adapters/doorbell.ts';
import type { Events } from '../adapters/events.ts';
import type { Git } from '../adapters/git.ts';
import type { HeadWaker } from '../adapters/head-waker.ts';
import type { IdentityProvider } from '../adapters/identity-provider.ts';
import type { Images } from '../adapters/images.ts';
import type { Keys } from '../adapters/keys.ts';
import type { Logs } from '../adapters/logs.ts';
import type { MetricsSource } from '../adapters/metrics-source.ts';
import type { OAuth, OAuthDiscovery } from '../adapters/oauth.ts';
import type { AddressRules } from '../adapters/outbound/addresses.ts';
import type { WebhookSender } from '../adapters/outbound/webhook-sender.ts';
import type { Registry } from '../adapters/registry.ts';
import type { Repositories } from '../adapters/repositories.ts';
import type { RepositoryLists } from '../adapters/repository-lists.ts';
import type { ServerCaller } from '../adapters/server-caller.ts';
import type { TaskNotifier } from '../adapters/task-notifier.ts';
import type { TokenChecks } from '../adapters/token-checks.ts';
import type { TokenIssuers } from '../adapters/token-issuers.ts';
import type { WebhookWaker } from '../adapters/webhook-waker.ts';
import type { Workflow } from '../adapters/workflow.ts';
import type { ManagedComputeType } from '../compute/kinds.ts';
import type { ComputeDriver, ManagedCompute } from '../compute/managed.ts';
import type { DefaultRuntime } from '../contract/deployments/runtimes.ts';
import type { InstallationNumbers, TenantLimits } from '../settings/defaults.ts';
import type { Table } from '../store/table.ts';
import type { AuditLog } from './audit.ts';
import type { Idempotency } from './idempotency.ts';
import type { KeyUses } from './identity/key-uses.ts';

/**
 * What the installation allows and how long it waits; each composition root fills it from its own
 * environment.
 */
export type Settings = InstallationNumbers & {
  /** `file:` repositories: only where builds run on the caller's own machine. */
  allowFileRepositories: boolean;
  /** A container registry that images can be pushed to, if there is one. */
  registryHost: string | undefined;
  /** How much a tenant may have. */
  limits: TenantLimits;
  /** So many of a tenant's builds run at once, and more wait. Absent: the builder has a queue of its own. */
  buildsAtOnce?: number;
  /** Which hosts a request may name. */
  addresses: AddressRules;
  /**
   * What it runs is not kept apart: another tenant would be made by somebody who does not know that. Absent:
   * any number.
   */
  singleTenant?: boolean;
  /** What `runtime: auto` is here. Absent: what is usual where an agent runs. */
  defaultRuntime?: DefaultRuntime;
  /** Compute that the installation runs itself. Absent: agents run on what listeners bring. */
  managedCompute?: ManagedComputeType;
};

/** Everything a use case may ask for; each names the parts it needs with `Pick`. */
export type Deps = {
  /** Absent: this installation does not reach its servers. */
  serverCaller?: ServerCaller | undefined;
  table: Table;
  clock: Clock;
  keys: Keys;
  blobs: Blobs;
  logs: Logs;
  git: Git;
  commitStatuses: CommitStatuses;
  repositoryLists: RepositoryLists;
  repositories: Repositories;
  tokenChecks: TokenChecks;
  builds: Builds;
  events: Events;
  workflow: Workflow;
  /** Absent: this installation runs no agents itself. */
  computeDriver?: ComputeDriver;
  /** For the driver alone. */
  compute?: ManagedCompute;
  /** Absent: it gives servers that it runs itself nothing beside their own variables. */
  agentSecrets?: AgentSecrets | undefined;
  taskNotifier: TaskNotifier;
  /** Absent: whoever follows something looks at it again and again. */
  changes?: Changes;
  /** Absent: listeners here ask again and again. */
  doorbell?: Doorbell | undefined;
  doorbellWaker?: DoorbellWaker | undefined;
  /** The gateway that holds the sockets of listeners, for who rings. */
  sockets: Sockets;
  images: Images;
  /** Measures what the installation runs itself. Absent: nobody does. */
  metricsSource?: MetricsSource | undefined;
  /** Undefined: this installation has none. */
  registry: Registry | undefined;
  oauth: OAuth;
  oauthDiscovery: OAuthDiscovery;
  webhookSender: WebhookSender;
  webhookWaker: WebhookWaker;
  headWaker: HeadWaker;
  /** Of the one request that is answered. */
  idempotency: Idempotency;
  /** Says who a bearer token is from; absent: the issuer that the environment names. */
  identityProvider?: IdentityProvider;
  /** Whose tokens are exchanged for keys. */
  tokenIssuers: TokenIssuers;
  /** Absent: each use is said in the function's log. */
  keyUses?: KeyUses;
  /** On AWS the function's log. */
  auditLog: AuditLog;
  /**
   * Names this runtime among those that share its table, the same after a restart; absent: each call is
   * another one.
   */
  ownerId?: string;
  settings: Settings;
};
