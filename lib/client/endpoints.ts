import type * as activity from '../features/activity/routes.ts';
import type * as apiKeys from '../features/api-keys/routes.ts';
import type * as audit from '../features/audit/routes.ts';
import type * as consent from '../features/consent/routes.ts';
import type * as console from '../features/console/routes.ts';
import type * as deployments from '../features/deployments/routes.ts';
import type * as deviceLogin from '../features/device-login/routes.ts';
import type * as events from '../features/events/routes.ts';
import type * as integrations from '../features/integrations/routes.ts';
import type * as listeners from '../features/listeners/routes.ts';
import type * as logs from '../features/logs/routes.ts';
import type * as members from '../features/members/routes.ts';
import type * as metrics from '../features/metrics/routes.ts';
import type * as connections from '../features/oauth-connections/routes.ts';
import type * as providers from '../features/oauth-providers/routes.ts';
import type * as tokens from '../features/oauth-tokens/routes.ts';
import type * as pushes from '../features/pushes/routes.ts';
import type * as registry from '../features/registry/routes.ts';
import type * as repositories from '../features/repositories/routes.ts';
import type * as revisions from '../features/revisions/routes.ts';
import type * as service from '../features/service/routes.ts';
import type * as tenants from '../features/tenants/routes.ts';
import type * as tokenRules from '../features/token-rules/routes.ts';
import type * as uploads from '../features/uploads/routes.ts';
import type * as webhooks from '../features/webhooks/routes.ts';

/** The route table as types alone: nothing of it is in what is bundled. Listeners have a client of their own. */
type Modules =
  | typeof activity
  | typeof apiKeys
  | typeof audit
  | typeof connections
  | typeof consent
  | typeof console
  | typeof deployments
  | typeof deviceLogin
  | typeof events
  | typeof integrations
  | typeof listeners
  | typeof logs
  | typeof members
  | typeof metrics
  | typeof providers
  | typeof pushes
  | typeof registry
  | typeof repositories
  | typeof revisions
  | typeof service
  | typeof tenants
  | typeof tokenRules
  | typeof tokens
  | typeof uploads
  | typeof webhooks;
type AnyRow = { method: string; path: string; operation: string };
type RowsOf<M> = M extends object ? Extract<M[keyof M], AnyRow> : never;
/** Pages are for browsers, deliveries for git hosts, and answers that lead on for who follows them. */
type Row = Exclude<RowsOf<Modules>, { page: unknown } | { rawBody: unknown } | { leadsOn: true }>;
type TextRow = Extract<Row, { contentTypes: unknown }>;
type RowByEndpoint<R extends AnyRow> = { [E in R as `${E['method']} ${E['path']}`]: E };

/** Every endpoint that answers with JSON, by what a request begins with: `GET /v2/deployments`. */
export type Endpoints = RowByEndpoint<Exclude<Row, TextRow>>;
export type Endpoint = keyof Endpoints;
/** Those that answer with something else. */
export type TextEndpoint = keyof RowByEndpoint<TextRow>;
export type AnyEndpoint = Endpoint | TextEndpoint;
type RowOf<E extends AnyEndpoint> = RowByEndpoint<Row>[E];

/** Schemas say by these names what they take and give, of whatever library they are. */
type Schema = { _input: unknown; _output: unknown };
type Input<S> = S extends Schema ? S['_input'] : undefined;
type Output<S> = S extends Schema ? S['_output'] : undefined;

/** An absent body counts as one without fields. */
type Part<R, K extends string> = K extends keyof R
  ? // oxlint-disable-next-line typescript/no-generated-empty-object-type -- a body without fields is meant
    Record<never, never> extends Input<R[K]>
    ? { [P in K]?: Input<R[K]> }
    : { [P in K]: Input<R[K]> }
  : object;

type Unchanged<T> = T extends (infer Each)[] ? readonly Each[] : T;
/**
 * A filter as the service has read it (`limit` a number, `status` a list); times are read as numbers. What
 * is empty is not sent.
 */
type Filter<K, S> =
  | ''
  | (K extends `${string}_time` | 'since' | 'until' | 'from' | 'to' ? Date | string : Unchanged<Output<S>>);
/** What a schema reads first is of no type; whether it may be left out is said by the schema after it. */
type MayBeAbsent<S> =
  unknown extends Input<S>
    ? S extends { out: infer After }
      ? MayBeAbsent<After>
      : true
    : undefined extends Input<S>
      ? true
      : false;
type Filters<Shape> = {
  [K in keyof Shape as MayBeAbsent<Shape[K]> extends true ? never : K]: Filter<K, Shape[K]>;
} & {
  [K in keyof Shape as MayBeAbsent<Shape[K]> extends true ? K : never]?: Filter<K, Shape[K]> | undefined;
};
type Query<R> = R extends { query: { shape: infer Shape } }
  ? object extends Filters<Shape>
    ? { query?: Filters<Shape> | undefined }
    : { query: Filters<Shape> }
  : object;

/** What a request to it carries. */
export type Ask<E extends AnyEndpoint> = Part<RowOf<E>, 'params'> & Query<RowOf<E>> & Part<RowOf<E>, 'body'>;
/** What it answers with. */
export type Answer<E extends Endpoint> = Output<Endpoints[E]['response']>;

type Having<Shape> = { [E in AnyEndpoint]: RowOf<E> extends Shape ? E : never }[AnyEndpoint];
type Writing = Having<{ method: 'POST' | 'PATCH' }>;
/** Nothing is kept of their answers, so that a second request is no repetition of the first. */
export type UnkeptEndpoint = Extract<
  Having<{ credential: true }> | Having<{ permission: 'public' }> | TextEndpoint,
  Writing
>;

/** Those that list something by pages. */
export type ListEndpoint = {
  [E in Endpoint]: Answer<E> extends { resources: unknown[]; offset: number } ? E : never;
}[Endpoint];
/** What is listed there. */
export type Listed<E extends ListEndpoint> = Answer<E>['resources'][number];

/** Those whose entries come as an event stream too. */
export type StreamEndpoint = Extract<Having<{ eventStream: { list: string } }>, Endpoint>;
type EntriesIn<A, L> = L extends keyof A ? (A[L] extends (infer T)[] ? T : never) : never;
/** What comes there. */
export type Streamed<E extends StreamEndpoint> = Endpoints[E] extends { eventStream: { list: infer L } }
  ? EntriesIn<Answer<E>, L>
  : never;

export type Deployment = Answer<'GET /v2/deployments/{deployment_id}'>;
export type ListedDeployment = Listed<'GET /v2/deployments'>;
export type Revision = Answer<'GET /v2/deployments/{deployment_id}/revisions/{revision_id}'>;
export type LogEntry = Streamed<'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs'>;
export type FeedEvent = Streamed<'GET /v2/events'>;
export type Me = Answer<'GET /v2/me'>;
export type Permission = Me['permissions'][number];
export type Listener = Answer<'GET /v2/listeners/{listener_id}'>;
export type Webhook = Answer<'GET /v2/webhooks/{webhook_id}'>;
