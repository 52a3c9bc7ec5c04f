import { AgentSecretsUnreadable } from '../../adapters/agent-secrets.ts';
import { computeKinds } from '../../compute/kinds.ts';
import type { RevisionRef } from '../../contract/refs.ts';
import type { NeedsMissing } from '../../domain/agent-failure.ts';
import { needsMissing } from '../../domain/agent-server.ts';
import type { Deps } from '../deps.ts';
import type { Configuration, Listener, Revision } from '../items/items.ts';
import { openDeploymentSecrets } from '../secrets.ts';

export type NeedsDeps = Pick<Deps, 'table' | 'keys' | 'agentSecrets'>;
type Of = { revision: Revision; configuration: Configuration; listener: Listener };

/**
 * What a revision would be without if it is a LangGraph server. Undefined: nothing, or that is not known now.
 */
export async function needsOf(
  deps: NeedsDeps,
  ref: RevisionRef,
  { revision, configuration, listener }: Of,
): Promise<NeedsMissing | undefined> {
  const type = listener.compute_type;
  const secrets = await openDeploymentSecrets(deps, ref, revision.secrets);
  const own = [...secrets, ...configuration.secret_references].map(({ name }) => name);
  const missing = needsMissing(type, new Set(own));
  if (isNothing(missing)) return undefined;
  if (!computeKinds[type].isManaged) return missing;
  const given = await givenNames(deps);
  if (given === undefined) return undefined;
  const stillMissing = needsMissing(type, new Set([...own, ...given]));
  return isNothing(stillMissing) ? undefined : stillMissing;
}

const isNothing = ({ stores, licence }: NeedsMissing): boolean => stores.length === 0 && !licence;

/** What the installation gives to servers that it runs itself; undefined: not known now. */
async function givenNames({ agentSecrets }: NeedsDeps): Promise<readonly string[] | undefined> {
  try {
    return (await agentSecrets?.variables())?.names ?? [];
  } catch (error) {
    // Who starts the servers says so: nothing is refused for want of knowledge.
    if (error instanceof AgentSecretsUnreadable) return undefined;
    throw error;
  }
}
