import type {
  V1LabelSelector,
  V1NetworkPolicy,
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
} from '@kubernetes/client-node';
import { destinationOf } from '../../../contract/kubernetes-config.ts';
import { baseNameOf, type RenderContext, type ServerSpec } from './context.ts';
import { SERVER_PORT } from './environment.ts';
import { metadataOf, podSelector } from './metadata.ts';

const DNS_PORT = 53;
/** Policies see the port of the pods that answer, which is another one in OpenShift. */
const OPENSHIFT_DNS_PORT = 5353;
const EVERYWHERE = ['0.0.0.0/0', '::/0'];
/** Networks of clusters and companies, and where clouds tell a machine its credentials. */
const PRIVATE = [
  ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ['fc00::/7', 'fe80::/10'],
];

const bothProtocols = (port: number): V1NetworkPolicyPort[] =>
  ['UDP', 'TCP'].map((protocol) => ({ protocol, port }));

function listed(entry: string): V1NetworkPolicyEgressRule[] {
  const to = destinationOf(entry);
  if (to === undefined) return [];
  const peer: V1NetworkPolicyPeer =
    'cidr' in to
      ? { ipBlock: { cidr: to.cidr } }
      : { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': to.namespace } } };
  return [{ to: [peer], ...(to.port !== undefined && { ports: bothProtocols(to.port) }) }];
}

/** What pods may reach where an operator limits it: DNS, each other, the internet, and what is listed. */
function egressOf(
  listedEntries: readonly string[],
  ownPods: V1LabelSelector,
  { openshift }: RenderContext,
): V1NetworkPolicyEgressRule[] {
  const dns = openshift === true ? [DNS_PORT, OPENSHIFT_DNS_PORT] : [DNS_PORT];
  return [
    { ports: dns.flatMap(bothProtocols) },
    { to: [{ podSelector: ownPods }] },
    { to: EVERYWHERE.map((cidr, index) => ({ ipBlock: { cidr, except: PRIVATE[index] ?? [] } })) },
    ...listedEntries.flatMap(listed),
  ];
}

/**
 * Who reaches a deployment's pods: anyone their port 8000, which servers alone serve requests on; everything
 * else, Redis and Postgres say, its own pods only. What they reach themselves is limited where the operator
 * says so.
 */
export const renderNetworkPolicy = (spec: ServerSpec, context: RenderContext): V1NetworkPolicy => {
  const ownPods = { matchLabels: podSelector(spec, {}) };
  const { egress } = context.computeConfig;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadataOf(baseNameOf(spec), spec, context),
    spec: {
      podSelector: ownPods,
      policyTypes: egress === undefined ? ['Ingress'] : ['Ingress', 'Egress'],
      ingress: [
        { ports: [{ protocol: 'TCP', port: SERVER_PORT }] },
        // So the client's model names `from`.
        { _from: [{ podSelector: ownPods }] },
      ],
      ...(egress !== undefined && { egress: egressOf(egress, ownPods, context) }),
    },
  };
};
