import type * as apiKeys from '../../lib/features/api-keys/routes.ts';
import type * as audit from '../../lib/features/audit/routes.ts';
import type * as consent from '../../lib/features/consent/routes.ts';
import type * as console from '../../lib/features/console/routes.ts';
import type * as deployments from '../../lib/features/deployments/routes.ts';
import type * as events from '../../lib/features/events/routes.ts';
import type * as integrations from '../../lib/features/integrations/routes.ts';
import type * as listeners from '../../lib/features/listeners/routes.ts';
import type * as logs from '../../lib/features/logs/routes.ts';
import type * as members from '../../lib/features/members/routes.ts';
import type * as connections from '../../lib/features/oauth-connections/routes.ts';
import type * as providers from '../../lib/features/oauth-providers/routes.ts';
import type * as tokens from '../../lib/features/oauth-tokens/routes.ts';
import type * as pushes from '../../lib/features/pushes/routes.ts';
import type * as registry from '../../lib/features/registry/routes.ts';
import type * as revisions from '../../lib/features/revisions/routes.ts';
import type * as tenants from '../../lib/features/tenants/routes.ts';
import type * as uploads from '../../lib/features/uploads/routes.ts';
import type * as webhooks from '../../lib/features/webhooks/routes.ts';

/** The route table as types alone: nothing of it is in the page. */
type Modules =
  | typeof audit
  | typeof connections
  | typeof consent
  | typeof console
  | typeof deployments
  | typeof events
  | typeof apiKeys
  | typeof members
  | typeof tenants
  | typeof integrations
  | typeof listeners
  | typeof logs
  | typeof providers
  | typeof pushes
  | typeof revisions
  | typeof registry
  | typeof uploads
  | typeof tokens
  | typeof webhooks;
type AnyRow = { method: string; path: string; operation: string };
type RowsOf<M> = M extends object ? Extract<M[keyof M], AnyRow> : never;
type Row = RowsOf<Modules>;

/** Every endpoint by what a request begins with: `GET /v2/deployments`. */
export type Endpoints = { [R in Row as `${R['method']} ${R['path']}`]: R };
export type Endpoint = keyof Endpoints;

/** Schemas say by these names what they take and give, of whatever library they are. */
type Schema = { _input: unknown; _output: unknown };
type Input<S> = S extends Schema ? S['_input'] : undefined;
type Part<R, K extends string> = K extends keyof R ? { [P in K]: Input<R[K]> } : object;
/** Filters may be left out; what their schemas read as texts is sent as texts. */
type Query<R> = 'query' extends keyof R
  ? { query?: { [K in keyof Input<R['query']>]?: string | number | undefined } }
  : object;

/** What a request to it carries. */
export type Ask<E extends Endpoint> = Part<Endpoints[E], 'params'> &
  Query<Endpoints[E]> &
  Part<Endpoints[E], 'body'>;

type Output<S> = S extends Schema ? S['_output'] : undefined;
/** What it answers with. */
export type Answer<E extends Endpoint> = Output<Endpoints[E]['response']>;

/** The endpoints that list something by pages. */
export type ListEndpoint = {
  [E in Endpoint]: Answer<E> extends { resources: unknown[]; offset: number } ? E : never;
}[Endpoint];
/** What is listed there. */
export type Listed<E extends ListEndpoint> = Answer<E>['resources'][number];

export type Deployment = Answer<'GET /v2/deployments/{deployment_id}'>;
export type ListedDeployment = Answer<'GET /v2/deployments'>['resources'][number];
export type Revision = Answer<'GET /v2/deployments/{deployment_id}/revisions/{revision_id}'>;
export type LogEntry =
  Answer<'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs'>['logs'][number];
export type FeedEvent = Answer<'GET /v2/events'>['resources'][number];
export type Me = Answer<'GET /v2/me'>;
export type Permission = Me['permissions'][number];
export type Listener = Answer<'GET /v2/listeners/{listener_id}'>;
export type Webhook = Answer<'GET /v2/webhooks/{webhook_id}'>;
