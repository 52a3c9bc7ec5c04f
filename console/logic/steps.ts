import type { Revision } from '../../lib/client/endpoints.ts';
import { type Stage, stagesOf } from './stages.ts';
import { isMoving } from './status.ts';
import { duration } from './time.ts';

/** A step of a revision's way, and how it went. */
export type Step = { title: string; state: 'done' | 'open' | 'failed' | 'ahead'; says: string };

const titles = { queue: 'Queue', build: 'Build', deploy: 'Deploy' } as const;
const order = ['queue', 'build', 'deploy'] as const;
const failures: Readonly<Record<string, Stage['kind']>> = {
  CREATE_FAILED: 'queue',
  BUILD_FAILED: 'build',
  DEPLOY_FAILED: 'deploy',
};

/**
 * The way of a revision: what it has passed, where it is or failed, what is ahead. `now` in epoch
 * milliseconds; `usual`: how long builds of this deployment take, in milliseconds.
 */
export function stepsOf(
  revision: Pick<Revision, 'status' | 'status_history'>,
  now: number,
  usual: number | undefined,
): Step[] {
  const stages = stagesOf(revision, now);
  const failed = failures[revision.status];
  return order.map((kind) => {
    const stage = stages.find((each) => each.kind === kind);
    const title = titles[kind];
    if (kind === failed)
      return {
        title,
        state: 'failed',
        says: stage === undefined ? 'failed' : `failed after ${duration(stage.milliseconds)}`,
      };
    if (stage === undefined)
      return { title, state: 'ahead', says: isMoving(revision.status) ? 'not started' : 'not reached' };
    if (!stage.isOpen) return { title, state: 'done', says: duration(stage.milliseconds) };
    const usually = kind === 'build' && usual !== undefined ? `, usually ${duration(usual)}` : '';
    return { title, state: 'open', says: `${duration(stage.milliseconds)} so far${usually}` };
  });
}

/** How long builds usually take: the middle one of those that came to their end, in milliseconds. */
export function usualBuild(revisions: readonly Revision[]): number | undefined {
  const built = revisions
    .filter(({ status }) => status === 'DEPLOYED')
    .flatMap((revision) => stagesOf(revision, 0).filter(({ kind }) => kind === 'build'))
    .map(({ milliseconds }) => milliseconds)
    .toSorted((one, other) => one - other);
  return built[Math.floor(built.length / 2)];
}
