import type { Stage } from './transitions.ts';

/** So many crashes in one stage are no accident: the last of them fails the revision. */
const DEATHS_MAX = 3;

export type Deaths = { stage: Stage; count: number };

/** Counts a death in a stage; each stage begins anew. */
export const nextDeaths = (before: Deaths | undefined, stage: Stage): Deaths => ({
  stage,
  count: (before?.stage === stage ? before.count : 0) + 1,
});

/** The stage has died as often as it may. */
export const isLastDeath = ({ stage, count }: Deaths, now: Stage): boolean =>
  stage === now && count >= DEATHS_MAX;

const advice: Record<Stage, string> = {
  create: 'Nothing of the source was touched; redeploy or patch again.',
  build: 'Redeploy this revision to build it again.',
  deploy: 'What was active before keeps serving; redeploy this revision to try again.',
};

/**
 * Why a revision fails whose stage has died as often as it may. `cause`: the workflow's word for the last
 * death.
 */
export function messageOfDeaths({ stage, count }: Deaths, cause: string | undefined): string {
  const word = cause === undefined ? '' : `, the last time with ${cause}`;
  return `The control plane stopped ${count} times while this stage (${stage}) was at work${word}. This is no fault of the source. ${advice[stage]}`;
}
