import type { RevisionStatus } from '../contract/revision-status.ts';
import { failureStatusOf, isTerminal, type Stage, stageOf, type Terminal } from './transitions.ts';

export type Ending = { status: Terminal; message: string | undefined };

export type EndingFacts = {
  status: RevisionStatus;
  interruptRequestedAt: string | undefined;
  /** The deployment is being deleted. */
  deleted: boolean;
  outcome:
    | {
        stage: Stage;
        result: 'succeeded' | 'failed';
        message?: string | undefined;
        url?: string | undefined;
      }
    | undefined;
};

/**
 * How a revision ends, from the facts recorded on it. A recorded deploy outcome wins over a later interrupt
 * (the listener had announced the switch); an interrupt wins over everything else; without either, the stage
 * that it was in names the failure: an execution that ends so is a defect of ours. Undefined when the
 * revision has ended already.
 */
export function endingOf(facts: EndingFacts): Ending | undefined {
  if (isTerminal(facts.status)) return undefined;
  const { outcome } = facts;
  if (outcome?.stage === 'deploy') return decided(outcome);
  if (facts.interruptRequestedAt !== undefined) {
    const why = facts.deleted ? ': deployment deleted' : ` on request at ${facts.interruptRequestedAt}`;
    return { status: 'INTERRUPTED', message: `Interrupted${why}.` };
  }
  if (outcome !== undefined && outcome.result !== 'succeeded') return decided(outcome);
  const stage = stageOf(facts.status) ?? 'deploy';
  return { status: failureStatusOf[stage], message: NO_FACT };
}

function decided(outcome: NonNullable<EndingFacts['outcome']>): Ending {
  if (outcome.result === 'failed')
    return { status: failureStatusOf[outcome.stage], message: outcome.message };
  const silent = 'Deployed; the listener reported no address for it.';
  return { status: 'DEPLOYED', message: outcome.message ?? (outcome.url === undefined ? silent : undefined) };
}

const NO_FACT =
  'The control plane ended this revision without a reason, which is a defect of it. Redeploy it to try again.';
