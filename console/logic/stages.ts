import type { Revision } from '../../lib/client/endpoints.ts';
import { isMoving } from './status.ts';

/** A stretch of a revision's life, in milliseconds. */
export type Stage = {
  kind: 'queue' | 'build' | 'deploy';
  milliseconds: number;
  /** It goes on. */
  isOpen: boolean;
};

type Timed = Pick<Revision, 'status' | 'status_history'>;

const kinds: Record<string, Stage['kind']> = {
  CREATING: 'queue',
  QUEUED: 'queue',
  AWAITING_BUILD: 'build',
  BUILDING: 'build',
  AWAITING_DEPLOY: 'deploy',
  DEPLOYING: 'deploy',
  UNKNOWN: 'deploy',
};
const order = ['queue', 'build', 'deploy'] as const;

/**
 * How long a revision was queued, built and deployed, from the history of its statuses; stages that it never
 * reached are left out. `now` (epoch milliseconds) ends what still goes on.
 */
export function stagesOf({ status, status_history: history }: Timed, now: number): Stage[] {
  const spent = new Map<Stage['kind'], number>();
  for (const [index, { status: each, at }] of history.entries()) {
    const kind = kinds[each];
    if (kind === undefined) continue;
    const next = history[index + 1];
    const end = next === undefined ? now : Date.parse(next.at);
    spent.set(kind, (spent.get(kind) ?? 0) + Math.max(0, end - Date.parse(at)));
  }
  const current = isMoving(status) ? kinds[status] : undefined;
  return order.flatMap((kind) => {
    const milliseconds = spent.get(kind);
    return milliseconds === undefined ? [] : [{ kind, milliseconds, isOpen: kind === current }];
  });
}

/** The whole of a revision's life so far. */
export const totalOf = (stages: readonly Stage[]): number =>
  stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
