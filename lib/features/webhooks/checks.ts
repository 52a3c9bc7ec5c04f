import { addressProblem } from '../../adapters/outbound/addresses.ts';
import { refuse, ValidationError } from '../../contract/errors.ts';
import type { Deps } from '../../core/deps.ts';
import { checkDeployment } from '../../core/items/deployments.ts';
import type { ConditionsFailed, Write } from '../../store/dynamodb/transact.ts';

/** Throws 422 for an address that is not to be reached from here. */
export function checkUrl({ addresses }: Deps['settings'], url: string): void {
  const problem = addressProblem(new URL(url), addresses);
  if (problem === undefined) return;
  // Without the address, which may be a secret.
  throw new ValidationError([{ loc: ['body', 'url'], type: 'value_error', msg: `Value error, ${problem}` }]);
}

/** Throws 422 for a number that no event of the tenant has had yet. */
export function checkAfter(after: number, count: number): void {
  if (after <= count) return;
  const msg = `Value error, the newest event of this tenant has the number ${count}`;
  throw new ValidationError([{ loc: ['body', 'after'], type: 'value_error', msg, input: after }]);
}

/** Demands that the deployments are there. */
export const checkDeployments = (tenantId: string, ids: readonly string[]): Write[] =>
  [...new Set(ids)].map((id) => checkDeployment(tenantId, id));

/** The refusal of a transaction in which one of them was not. */
export function missingDeployment({ failed }: ConditionsFailed, ids: readonly string[]): Error | undefined {
  const id = ids.find((each) => failed.has(checkDeployment('', each).name));
  return id === undefined ? undefined : refuse('deployment_not_found', { id });
}
