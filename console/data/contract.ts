import type * as console from '../../lib/contract/routes/console.ts';
import type * as deployments from '../../lib/contract/routes/deployments.ts';
import type * as events from '../../lib/contract/routes/events.ts';
import type * as listeners from '../../lib/contract/routes/listeners.ts';
import type * as logs from '../../lib/contract/routes/logs.ts';
import type * as revisions from '../../lib/contract/routes/revisions.ts';
import type * as sources from '../../lib/contract/routes/sources.ts';

/** The route table as types alone: nothing of it is in the page. */
type Modules =
  | typeof console
  | typeof deployments
  | typeof events
  | typeof listeners
  | typeof logs
  | typeof revisions
  | typeof sources;
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

export type Deployment = Answer<'GET /v2/deployments/{deployment_id}'>;
export type ListedDeployment = Answer<'GET /v2/deployments'>['resources'][number];
export type Revision = Answer<'GET /v2/deployments/{deployment_id}/revisions/{revision_id}'>;
export type LogEntry =
  Answer<'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs'>['logs'][number];
export type FeedEvent = Answer<'GET /v2/events'>['resources'][number];
export type Me = Answer<'GET /v2/me'>;
export type Permission = Me['permissions'][number];
