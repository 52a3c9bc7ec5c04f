import type { V1NetworkPolicy } from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec } from './context.ts';
import { SERVER_PORT } from './environment.ts';
import { metadataOf, podSelector } from './metadata.ts';

/**
 * Who reaches a deployment's pods: anyone their port 8000, which servers alone serve requests on; everything
 * else, Redis and Postgres say, its own pods only. What they reach themselves is not limited.
 */
export const renderNetworkPolicy = (spec: ServerSpec, context: RenderContext): V1NetworkPolicy => {
  const ownPods = { matchLabels: podSelector(spec, {}) };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadataOf(baseNameOf(spec), spec, context),
    spec: {
      podSelector: ownPods,
      policyTypes: ['Ingress'],
      ingress: [
        { ports: [{ protocol: 'TCP', port: SERVER_PORT }] },
        // So the client's model names `from`.
        { _from: [{ podSelector: ownPods }] },
      ],
    },
  };
};
