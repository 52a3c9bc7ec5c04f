import type { KubernetesObject } from '@kubernetes/client-node';
import type { RenderContext, ServerSpec } from '../../../lib/compute/kubernetes/render/context.ts';
import {
  renderNetworkPolicy,
  renderPostgres,
  renderRedis,
  renderRoute,
  renderService,
  renderServiceAccount,
} from '../../../lib/compute/kubernetes/render/deployment-objects.ts';
import { renderSet } from '../../../lib/compute/kubernetes/render/set.ts';

export const PASSWORD = 'a password/of ours';

/** Everything that is rendered for a spec, by a name for what each object is. */
export function allObjects(spec: ServerSpec, context: RenderContext): Map<string, KubernetesObject> {
  const set = renderSet(spec, context, 1);
  const redis = renderRedis(spec, context, PASSWORD);
  const postgres = renderPostgres(spec, context, PASSWORD);
  const objects: Record<string, KubernetesObject | undefined> = {
    Deployment: set.deployment,
    'queue Deployment': set.queue,
    Secret: set.secret,
    'trial Service': set.trialService,
    HorizontalPodAutoscaler: set.autoscaler,
    'queue HorizontalPodAutoscaler': set.queueAutoscaler,
    PodDisruptionBudget: set.disruptionBudget,
    'queue PodDisruptionBudget': set.queueDisruptionBudget,
    Service: renderService(spec, context),
    Route: renderRoute(spec, context),
    ServiceAccount: renderServiceAccount(spec, context),
    NetworkPolicy: renderNetworkPolicy(spec, context),
    'Redis Deployment': redis?.deployment,
    'Redis Service': redis?.service,
    'Redis Secret': redis?.secret,
    'Postgres StatefulSet': postgres?.statefulSet,
    'Postgres Service': postgres?.service,
    'Postgres Secret': postgres?.secret,
  };
  return new Map(
    Object.entries(objects).filter((entry): entry is [string, KubernetesObject] => entry[1] !== undefined),
  );
}
