import type { Deployment, Revision } from '../../lib/client/endpoints.ts';
import { wordOf } from './configuration.ts';
import { isMoving } from './status.ts';

/**
 * In what the serving revision's configuration differs from the deployment's, in words; empty when in
 * nothing, and while a revision that may change that is on its way.
 */
export const apartIn = (
  { active_configuration: configuration }: Pick<Deployment, 'active_configuration'>,
  newest: Pick<Revision, 'status'> | undefined,
): string[] =>
  newest === undefined || isMoving(newest.status) ? [] : (configuration?.fields ?? []).map(wordOf);
