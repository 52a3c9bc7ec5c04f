import type { KubernetesObject } from '@kubernetes/client-node';

/** A kind of objects that this driver makes, or looks at. */
export type Kind = { apiVersion: string; kind: string; plural: string };

/** HTTPRoute is there only where somebody has installed the Gateway API. */
export const httpRoute: Kind = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  plural: 'httproutes',
};

/** What is applied, deleted and watched. */
export const managedKinds: readonly Kind[] = [
  { apiVersion: 'v1', kind: 'Service', plural: 'services' },
  { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' },
  { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts' },
  { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet', plural: 'statefulsets' },
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', plural: 'horizontalpodautoscalers' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', plural: 'networkpolicies' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', plural: 'ingresses' },
  httpRoute,
];

/** What controllers of the cluster make of them, which is only watched. */
export const seenKinds: readonly Kind[] = [
  { apiVersion: 'v1', kind: 'Pod', plural: 'pods' },
  { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', plural: 'endpointslices' },
];

/** The path of a kind's objects in a namespace. */
export const pathOf = ({ apiVersion, plural }: Kind, namespace: string): string =>
  `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/${namespace}/${plural}`;

/** How listeners agree on who of them works. */
export const leaseKind: Kind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases' };

/** The kind of an object that is sent. Throws for one that this driver does not make. */
export function kindOf({ kind }: KubernetesObject): Kind {
  const found = [...managedKinds, ...seenKinds, leaseKind].find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`No path is known for objects of the kind ${kind}`);
  return found;
}
