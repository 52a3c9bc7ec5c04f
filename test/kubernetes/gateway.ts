import { CustomObjectsApi, type KubernetesObject } from '@kubernetes/client-node';
import { httpRoute, pathOf } from '../../lib/compute/kubernetes/kinds.ts';
import type { HTTPRoute } from '../../lib/compute/kubernetes/render/route.ts';
import type { World } from './world.ts';

/** What a controller says of a route: a condition, without what is the same in all. */
export type Verdict = { type: 'Accepted' | 'ResolvedRefs'; status: 'True' | 'False'; reason: string };

type Answered = HTTPRoute & {
  status?: { parents?: { conditions?: { observedGeneration?: number }[] }[] };
};

const CONTROLLER = 'gateways.test/controller';

/**
 * Answers for the Gateways of a namespace's HTTPRoutes as their controller does, until the function that it
 * gives is called: the test cluster has the kinds of the Gateway API, and nobody who acts on them.
 */
export async function answerRoutes(
  world: World,
  namespace: string,
  judge: (route: HTTPRoute) => Verdict[],
): Promise<() => void> {
  const custom = world.config.makeApiClient(CustomObjectsApi);
  const [group = '', version = ''] = httpRoute.apiVersion.split('/');
  const answer = async (route: Answered): Promise<void> => {
    const { generation = 0, name = '' } = route.metadata ?? {};
    const known = route.status?.parents?.[0]?.conditions?.[0]?.observedGeneration ?? 0;
    if (known >= generation) return;
    const lastTransitionTime = new Date().toISOString();
    const conditions = judge(route).map((verdict) => ({
      ...verdict,
      message: `says the test's controller`,
      observedGeneration: generation,
      lastTransitionTime,
    }));
    const [parentRef] = route.spec.parentRefs;
    const status = { parents: [{ parentRef, controllerName: CONTROLLER, conditions }] };
    await custom
      .replaceNamespacedCustomObjectStatus({
        group,
        version,
        namespace,
        plural: httpRoute.plural,
        name,
        body: { ...route, status },
      })
      // It has changed meanwhile, and is seen once more.
      .catch(() => undefined);
  };
  return world.watch(pathOf(httpRoute, namespace), (type, object: KubernetesObject) => {
    if (type !== 'DELETED') void answer(object as Answered);
  });
}
