import { AgentSecretsUnreadable } from '../../adapters/agent-secrets.ts';
import { createMask, type Mask } from '../../contract/mask.ts';
import type { RevisionRef } from '../../contract/refs.ts';
import type { Deps } from '../../core/deps.ts';
import { findRevision } from '../../core/items/revisions.ts';
import { secretValues, sharedValues } from '../../core/secrets.ts';
import { OUTPUT_FOLLOWS } from '../../domain/agent-failure.ts';

type MaskDeps = Pick<Deps, 'table' | 'keys' | 'agentSecrets'>;

/**
 * Listeners mask what they send; what ends up in a response is masked here once more. Where the values that
 * the installation gives to servers cannot be read, output that is quoted is left out.
 */
export async function revisionMask(deps: MaskDeps, ref: RevisionRef): Promise<Mask> {
  const revision = await findRevision(deps.table, ref);
  const [own, shared] = await Promise.all([
    revision === undefined ? [] : secretValues(deps, ref, revision),
    sharedValues(deps).catch((error: unknown) => {
      if (error instanceof AgentSecretsUnreadable) return undefined;
      throw error;
    }),
  ]);
  const mask = createMask([...own, ...(shared ?? [])]);
  return shared === undefined ? (text) => mask(text.split(OUTPUT_FOLLOWS, 1).join('')) : mask;
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
