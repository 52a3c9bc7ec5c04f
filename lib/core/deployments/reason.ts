import { createMask } from '../../contract/mask.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { Deps } from '../deps.ts';
import { type SecretVersions, secretValues } from '../secrets.ts';

/**
 * Why a person wants something of a deployment's revision, as it is kept: without the secrets of these
 * versions. Undefined if no reason is given.
 */
export async function maskedReason(
  deps: Pick<Deps, 'table' | 'keys'>,
  ref: DeploymentRef,
  versions: readonly SecretVersions[],
  { reason = '' }: { reason?: string | undefined } = {},
): Promise<{ reason: string } | undefined> {
  const given = reason.trim();
  if (given === '') return undefined;
  const values = await Promise.all(versions.map((each) => secretValues(deps, ref, each)));
  return { reason: createMask(values.flat())(given) };
}
