import type { KubernetesObject, V1Deployment } from '@kubernetes/client-node';
import type { RenderedSet } from './render/set.ts';

/** The objects of a rendered set, by when and by whom they are applied. */

export const deploymentsOf = ({ deployment, queue }: RenderedSet): V1Deployment[] =>
  queue === undefined ? [deployment] : [deployment, queue];

/** What has to be there before the servers are. */
export const supportingOf = (rendered: RenderedSet): KubernetesObject[] =>
  [rendered.secret, rendered.trialService, rendered.disruptionBudget, rendered.queueDisruptionBudget].filter(
    isGiven,
  );

/** What scales them, and so comes after them. */
export const scalersOf = ({ autoscaler, queueAutoscaler }: RenderedSet): KubernetesObject[] =>
  [autoscaler, queueAutoscaler].filter(isGiven);

export const objectsOf = (rendered: RenderedSet): KubernetesObject[] => [
  ...supportingOf(rendered),
  ...deploymentsOf(rendered),
  ...scalersOf(rendered),
];

/** Without the number of servers, which has an owner of its own. */
export function unscaled(deployment: V1Deployment): V1Deployment {
  const { replicas: _, ...spec } = deployment.spec ?? { selector: {}, template: {} };
  return { ...deployment, spec };
}

const isGiven = <T>(object: T | undefined): object is T => object !== undefined;
