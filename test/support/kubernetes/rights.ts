import type { V1PolicyRule } from '@kubernetes/client-node';
import { httpRoute, type Kind, managedKinds, seenKinds } from '../../../lib/compute/kubernetes/kinds.ts';

/** Server-side apply patches, and creates what is not there. */
const MANAGED = ['create', 'delete', 'list', 'patch', 'watch'];
const SEEN = ['list', 'watch'];
/** What `Cluster`, `Traffic`, `PodLogs` and `ClusterMeasures` ask beside that. */
const OTHERS = [
  '/services get',
  '/pods get',
  '/pods/log get',
  '/events list',
  '/persistentvolumeclaims deletecollection',
  'metrics.k8s.io/pods list',
];

const rightsTo = ({ apiVersion, plural }: Kind, verbs: readonly string[]): string[] => {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  return verbs.map((verb) => `${group}/${plural} ${verb}`);
};

/** What the driver asks of the API server in a namespace of agents, such as `apps/deployments patch`. */
export const rightsAsked = (usesGateways: boolean): string[] =>
  [
    ...managedKinds
      .filter((kind) => usesGateways || kind !== httpRoute)
      .flatMap((kind) => rightsTo(kind, MANAGED)),
    ...seenKinds.flatMap((kind) => rightsTo(kind, SEEN)),
    ...OTHERS,
  ].sort();

/** What rules grant, in the same form; with the names of objects, where they are named. */
export const rightsOf = (rules: readonly V1PolicyRule[] = []): string[] =>
  rules
    .flatMap(({ apiGroups = [], resources = [], verbs, resourceNames = [] }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.map((verb) => [`${group}/${resource}`, verb, ...resourceNames].join(' ')),
        ),
      ),
    )
    .sort();
