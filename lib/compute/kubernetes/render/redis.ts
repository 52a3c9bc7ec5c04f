import type { V1Container, V1Deployment, V1Secret, V1Service } from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec } from './context.ts';
import { needsStore } from './environment.ts';
import { metadataOf, ownLabels, podSelector } from './metadata.ts';
import { redisName } from './names.ts';
import { requirementsOf, resourcesOf } from './resources.ts';
import { passwordVariable, renderStoreSecret, renderStoreService, storeSecurity } from './store-objects.ts';
import { storePodBase, storePodNote, storePodOf } from './store-pod.ts';

export type RenderedRedis = { deployment: V1Deployment; service: V1Service; secret: V1Secret };

const PORT = 6379;
const PASSWORD = 'REDIS_PASSWORD';
const part = { component: 'redis' } as const;

/** It keeps nothing on disk: what a server has in Redis, it can do without after a restart. */
function container(spec: ServerSpec, name: string, image: string): V1Container {
  const resources = requirementsOf(resourcesOf(spec), 'redis_');
  return {
    name: 'redis',
    image,
    command: ['redis-server', '--save', '', '--appendonly', 'no', '--requirepass', `$(${PASSWORD})`],
    env: [passwordVariable(PASSWORD, name)],
    ports: [{ name: 'redis', containerPort: PORT }],
    readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 5 },
    ...(resources !== undefined && { resources }),
    securityContext: storeSecurity,
  };
}

/**
 * The Redis of a server of `langgraph.json` that brings none; undefined for any other. The password is for
 * the driver to make, once. `pod`: as it was made, if it stays so.
 */
export function renderRedis(
  spec: ServerSpec,
  context: RenderContext,
  password: string,
  pod = storePodOf(context, 'redis'),
): RenderedRedis | undefined {
  if (!needsStore(spec, 'redis')) return undefined;
  const name = redisName(baseNameOf(spec));
  const uri = `redis://:${encodeURIComponent(password)}@${name}.${context.namespace}.svc:${PORT}/0`;
  return {
    deployment: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadataOf(name, spec, context, { ...part, annotations: storePodNote(pod) }),
      spec: {
        replicas: 1,
        revisionHistoryLimit: 0,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: podSelector(spec, part) },
        template: {
          metadata: { labels: ownLabels(spec, context, part) },
          spec: { ...storePodBase(pod), containers: [container(spec, name, pod.image)] },
        },
      },
    },
    service: renderStoreService(spec, context, { name, store: 'redis', port: PORT }),
    secret: renderStoreSecret(spec, context, { name, store: 'redis', uri, password }),
  };
}
