import type { V1Service, V1ServiceSpec } from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec } from './context.ts';
import { SERVER_PORT } from './environment.ts';
import { metadataOf, podSelector, revisionAnnotations } from './metadata.ts';
import { annotations, setName } from './names.ts';
import { addressOf } from './route.ts';

export const SERVICE_PORT = 80;

const toServers = (spec: ServerSpec, key: string): V1ServiceSpec => ({
  type: 'ClusterIP',
  selector: podSelector(spec, { set: key, component: 'server' }),
  ports: [{ name: 'http', port: SERVICE_PORT, targetPort: SERVER_PORT }],
});

/** What gets a deployment's requests. Its selector is the switch from one set to another. */
export const renderService = (spec: ServerSpec, context: RenderContext, key: string): V1Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(baseNameOf(spec), spec, context, {
    set: key,
    component: 'server',
    annotations: { ...revisionAnnotations(spec), [annotations.address]: addressOf(spec, context) },
  }),
  spec: toServers(spec, key),
});

/** A set's own Service, whose endpoints say how many of it are ready before anything is switched. */
export const renderTrialService = (spec: ServerSpec, context: RenderContext, key: string): V1Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(setName(baseNameOf(spec), key), spec, context, { set: key, component: 'server' }),
  spec: toServers(spec, key),
});
