import type { V1Pod } from '@kubernetes/client-node';
import { type Judgement, judgeRelease, releaseRuleOf } from '../../domain/release-check.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import type { DeployHooks } from '../../listener/driver.ts';
import { type AskServer, checkRelease } from '../release-check.ts';
import { askAt } from '../server-asker.ts';
import type { Observed } from './observed.ts';
import { SERVER_PORT } from './render/environment.ts';

/**
 * Asks the servers of both sets before traffic moves from one to the other: at their pods, which a listener
 * in the cluster reaches. `isLost`: it is known what would be lost. Undefined: nothing is to be asked.
 */
export async function checkSets(
  observe: () => Observed,
  nextKey: string,
  spec: Pick<DeploySpec, 'on_release' | 'runtime'>,
  { signal, say }: Pick<DeployHooks, 'signal' | 'say'>,
): Promise<(Judgement & { isLost: boolean }) | undefined> {
  const rule = releaseRuleOf(spec.on_release, spec.runtime);
  if (rule === 'move' || rule === 'pin') return undefined;
  const { traffic, sets } = observe();
  if (traffic === undefined || traffic === nextKey) return undefined;
  const servers = { serving: askerOf(sets.get(traffic)?.pods), next: askerOf(sets.get(nextKey)?.pods) };
  const finding = await checkRelease(servers, signal, { say }).catch((error: unknown) => {
    // Whoever asks finds that out by itself.
    if (signal.aborted) return undefined;
    throw error;
  });
  if (finding === undefined) return undefined;
  return { ...judgeRelease(rule, finding), isLost: finding.kind === 'lost' };
}

/** One of these pods that is ready. */
function askerOf(pods: readonly V1Pod[] = []): AskServer | undefined {
  const ready = pods.find(
    ({ metadata, status }) =>
      metadata?.deletionTimestamp === undefined &&
      status?.podIP !== undefined &&
      status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  );
  const address = ready?.status?.podIP;
  if (address === undefined) return undefined;
  return askAt(`http://${address.includes(':') ? `[${address}]` : address}:${SERVER_PORT}`);
}
