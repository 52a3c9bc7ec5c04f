import type { RevisionRef } from '../../adapters/workflow.ts';
import { createMask, type Mask } from '../../contract/mask.ts';
import { findRevision } from '../../store/engine/revisions.ts';
import type { Deps } from '../deps.ts';
import { secretValues } from '../secrets.ts';

/** Listeners mask what they send; what ends up in a response is masked here once more. */
export async function revisionMask(deps: Pick<Deps, 'table' | 'keys'>, ref: RevisionRef): Promise<Mask> {
  const revision = await findRevision(deps.table, ref);
  return createMask(await secretValues(deps, ref, revision?.secrets));
}

/**
 * An address, masked but for its host: many agents are told their own address in a variable, and without it
 * nobody could reach them.
 */
export function maskAddress(url: string, mask: Mask): string {
  const [, scheme = '', credentials, host = '', rest = url] =
    /^(https?:\/\/)(?:([^/?#@]*)@)?([^/?#@]*)(.*)$/is.exec(url) ?? [];
  const before = credentials === undefined ? '' : `${mask(credentials)}@`;
  return `${scheme}${before}${host}${mask(rest)}`;
}
