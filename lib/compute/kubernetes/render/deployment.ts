import type { V1Deployment } from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec, startTimeoutSecondsOf } from './context.ts';
import { ownLabels, podSelector, revisionAnnotations, textsOf } from './metadata.ts';
import { annotations, queueName, setName } from './names.ts';
import { podTemplate, type Role } from './pod.ts';
import { resourcesOf } from './resources.ts';

/** The Deployment of one role of a set. A set never changes, so that nothing rolls but what a node lost. */
export function renderDeployment(
  spec: ServerSpec,
  context: RenderContext,
  { key, role, replicas }: { key: string; role: Role; replicas: number },
): V1Deployment {
  const resources = resourcesOf(spec);
  const part = { set: key, component: role };
  const nameOf = role === 'server' ? setName : queueName;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: nameOf(baseNameOf(spec), key),
      namespace: context.namespace,
      labels: { ...textsOf(resources.labels), ...ownLabels(spec, context, part) },
      annotations: {
        ...textsOf(resources.annotations),
        ...revisionAnnotations(spec),
        [annotations.grace]: String(context.graceSeconds),
      },
    },
    spec: {
      replicas,
      revisionHistoryLimit: 0,
      progressDeadlineSeconds: startTimeoutSecondsOf(context),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: podSelector(spec, part) },
      template: podTemplate(spec, context, key, role),
    },
  };
}
