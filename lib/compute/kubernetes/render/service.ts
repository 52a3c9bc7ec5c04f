import type { V1Service, V1ServiceSpec } from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec } from './context.ts';
import { SERVER_PORT } from './environment.ts';
import { metadataOf } from './metadata.ts';
import { labels, setName } from './names.ts';

export const SERVICE_PORT = 80;

const ports: V1ServiceSpec['ports'] = [{ name: 'http', port: SERVICE_PORT, targetPort: SERVER_PORT }];

/**
 * What gets a deployment's requests. It has no selector here: that is the switch from one set to another, and
 * moves apart from all else.
 */
export const renderService = (spec: ServerSpec, context: RenderContext): V1Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(baseNameOf(spec), spec, context),
  spec: { type: 'ClusterIP', ports },
});

/** Which servers get the requests: those of one set. */
export const trafficTo = (deploymentId: string, key: string): Record<string, string> => ({
  [labels.deployment]: deploymentId,
  [labels.set]: key,
  [labels.component]: 'server',
});

/** A set's own Service, whose endpoints say how many of it are ready before anything is switched. */
export const renderTrialService = (spec: ServerSpec, context: RenderContext, key: string): V1Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(setName(baseNameOf(spec), key), spec, context, { set: key, component: 'server' }),
  spec: { type: 'ClusterIP', selector: trafficTo(spec.deployment_id, key), ports },
});
