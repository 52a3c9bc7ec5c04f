import type { RevisionStatus } from '../contract/revision-status.ts';
import { failureOf, isTerminal, type Stage, stageOf, type Terminal } from './transitions.ts';

export type Ending = { status: Terminal; message: string | undefined };

export type EndingFacts = {
  status: RevisionStatus;
  interruptRequestedAt: string | undefined;
  /** The deployment is being deleted. */
  deleted: boolean;
  outcome:
    | {
        stage: Stage;
        result: 'succeeded' | 'failed' | 'skipped';
        message?: string | undefined;
        url?: string | undefined;
      }
    | undefined;
};

/**
 * How a revision ends, from the facts recorded on it. A recorded deploy outcome wins over a later interrupt (the listener had
 * announced the switch); an interrupt wins over everything else; without either, whatever was at work died, and the status it
 * died in names the failure. `cause`: what the workflow says of the death. Undefined when the revision has ended already.
 */
export function endingOf(facts: EndingFacts, cause: string | undefined): Ending | undefined {
  if (isTerminal(facts.status)) return undefined;
  const { outcome } = facts;
  if (outcome?.stage === 'deploy') return decided(outcome);
  if (facts.interruptRequestedAt !== undefined) {
    const why = facts.deleted ? ': deployment deleted' : ` on request at ${facts.interruptRequestedAt}`;
    return { status: 'INTERRUPTED', message: `Interrupted${why}.` };
  }
  if (outcome !== undefined && outcome.result !== 'succeeded') return decided(outcome);
  const stage = stageOf(facts.status) ?? 'deploy';
  return { status: failureOf[stage], message: diedIn[stage](cause) };
}

function decided(outcome: NonNullable<EndingFacts['outcome']>): Ending {
  if (outcome.result === 'skipped') return { status: 'SKIPPED', message: outcome.message };
  if (outcome.result === 'failed') return { status: failureOf[outcome.stage], message: outcome.message };
  const silent = 'Deployed; the listener reported no address for it.';
  return { status: 'DEPLOYED', message: outcome.message ?? (outcome.url === undefined ? silent : undefined) };
}

const because = (cause: string | undefined): string => (cause === undefined ? '' : ` (${cause})`);

const diedIn: Record<Stage, (cause: string | undefined) => string> = {
  create: (cause) =>
    `The control plane could not begin to process this revision${because(cause)}. Nothing of the source was touched; redeploy or patch again.`,
  build: (cause) =>
    `The build was lost when the control plane stopped or one of its steps died${because(cause)}. Redeploy this revision to build it again.`,
  deploy: (cause) =>
    `The deploy was lost when the control plane stopped or one of its steps died${because(cause)}. What was active before keeps serving; redeploy this revision to try again.`,
};
