import type { FeedEvent } from '../../lib/client/endpoints.ts';
import { isMoving } from './status.ts';

/** The first parts of the keys of queries; one that is empty stands for all of them. */
export type Outdated = readonly (readonly string[])[];

function outdatedByOne(event: FeedEvent): Outdated {
  if ('deployment_id' in event) return [['deployments'], ['deployment', event.deployment_id]];
  // What a silent listener runs is shown as unknown.
  if ('listener_id' in event) return [['listeners'], ['deployments'], ['deployment']];
  if ('token_id' in event) return [['tokens'], ['connections']];
  if ('webhook_id' in event) return [['webhooks']];
  return [[]];
}

/** What these events make old, each once. An event of a kind that this version does not know: everything. */
export function outdatedBy(events: readonly FeedEvent[]): Outdated {
  if (events.length === 0) return [];
  // Whatever happens is told, and may be what needs somebody.
  const named = events.flatMap(outdatedByOne);
  if (named.some((key) => key.length === 0)) return [[]];
  const keys = [...named, ['activity'], ['attention']].map((key) => [key.join(' '), key] as const);
  return [...new Map(keys).values()];
}

/** Whether something in the answer of a query may still change by itself: of one thing, or of pages of them. */
export function isMovingIn(data: unknown): boolean {
  if (Array.isArray(data)) return data.some(isMovingIn);
  if (typeof data !== 'object' || data === null) return false;
  if ('status' in data && typeof data.status === 'string') {
    if (isMoving(data.status) || data.status === 'AWAITING_DELETE') return true;
  }
  return (
    ('pages' in data && isMovingIn(data.pages)) ||
    ('resources' in data && isMovingIn(data.resources)) ||
    ('latest_revision' in data && isMovingIn(data.latest_revision))
  );
}
