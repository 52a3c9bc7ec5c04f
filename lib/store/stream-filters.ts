import { revisionStatuses } from '../contract/revision-status.ts';
import { isAtWork } from '../domain/decide.ts';

/**
 * Selects the stream records for a consumer: a record must match one of the filters, with all its conditions.
 */
export type StreamFilter = {
  /** What happened to the item; absent: anything. */
  on?: readonly ('INSERT' | 'MODIFY' | 'REMOVE')[];
  /** The image that the other conditions look at. */
  image: 'NewImage' | 'OldImage';
  /** The item is of one of these kinds. */
  entities?: readonly string[];
  /** Its status is one of these. */
  statuses?: readonly string[];
  /** It has a text at this path. */
  has?: readonly [string, ...string[]];
};

const telling = revisionStatuses.filter((status) => !isAtWork(status));

/**
 * What can give the engine something to do. Tokens and the ends of tasks are written together with one of
 * these; what a listener says while it has a task, a step that does its work, and whatever is removed, give
 * it nothing.
 */
export const dispatchFilters: StreamFilter[] = [
  { image: 'NewImage', entities: ['deployment'] },
  { image: 'NewImage', entities: ['revision'], statuses: telling },
  { image: 'NewImage', entities: ['revision'], has: ['outcome', 'stage'] },
  { image: 'NewImage', entities: ['revision'], has: ['interrupt_requested_at'] },
  { image: 'NewImage', entities: ['revision'], has: ['restart', 'cause'] },
];

/** What people have granted, and who may use it. */
const GRANTS = ['oauth_token', 'oauth_connection'] as const;

/** What is written only to be told, or seldom enough. */
const COUNTED = ['webhook', 'deployment_health', 'threads_news', 'listener_presence'] as const;

/**
 * Deployments, grants and connections that come and go, statuses of revisions, whatever a request of a person
 * has changed, and what a listener has to be told of. An event source has five at most.
 */
export const eventFilters: StreamFilter[] = [
  { on: ['INSERT'], image: 'NewImage', entities: ['deployment'] },
  { on: ['REMOVE'], image: 'OldImage', entities: ['deployment', ...GRANTS] },
  { on: ['INSERT', 'MODIFY'], image: 'NewImage', entities: ['revision', ...GRANTS, ...COUNTED] },
  // Who changed it on a request: lib/core/audit.ts.
  { on: ['INSERT', 'MODIFY'], image: 'NewImage', has: ['audit', 'id'] },
  // Whose listener is rung for: lib/core/items/listeners.ts.
  { on: ['INSERT', 'MODIFY'], image: 'NewImage', has: ['ring'] },
];
