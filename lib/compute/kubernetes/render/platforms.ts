import type { V1Affinity, V1NodeSelectorTerm } from '@kubernetes/client-node';
import type { ServerSpec } from './context.ts';

/** Labels that every kubelet gives its node. */
const OS = 'kubernetes.io/os';
const ARCHITECTURE = 'kubernetes.io/arch';

/** `linux/arm64/v8` has the architecture arm64: nodes say nothing of its version. */
function nodesOf(platform: string): V1NodeSelectorTerm {
  const [os = '', architecture = ''] = platform.split('/');
  const is = (key: string, value: string) => ({ key, operator: 'In', values: [value] });
  return { matchExpressions: [is(OS, os), is(ARCHITECTURE, architecture)] };
}

/** Only nodes of a kind that the image was built for, where that is known; of any other image nobody knows. */
export function affinityOf({ artifact }: Pick<ServerSpec, 'artifact'>): V1Affinity | undefined {
  const platforms = artifact.kind === 'image' ? (artifact.platforms ?? []) : [];
  if (platforms.length === 0) return undefined;
  const nodeSelectorTerms = platforms.map(nodesOf);
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}
