import type { V1EnvVar, V1Secret, V1SecurityContext, V1Service } from '@kubernetes/client-node';
import type { RenderContext, ServerSpec } from './context.ts';
import { type Store, URI_KEY } from './environment.ts';
import { metadataOf, podSelector } from './metadata.ts';

/** What our own Redis and Postgres have in common. */

export const PASSWORD_KEY = 'password';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The address with its password, for the server, and the password alone, for the store. */
export const renderStoreSecret = (
  spec: ServerSpec,
  context: RenderContext,
  { name, store, uri, password }: { name: string; store: Store; uri: string; password: string },
): V1Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metadataOf(name, spec, context, { component: store }),
  type: 'Opaque',
  data: { [URI_KEY]: base64(uri), [PASSWORD_KEY]: base64(password) },
});

export const renderStoreService = (
  spec: ServerSpec,
  context: RenderContext,
  { name, store, port }: { name: string; store: Store; port: number },
): V1Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(name, spec, context, { component: store }),
  spec: {
    type: 'ClusterIP',
    selector: podSelector(spec, { component: store }),
    ports: [{ name: store, port, targetPort: port }],
  },
});

export const passwordVariable = (variable: string, secret: string): V1EnvVar => ({
  name: variable,
  valueFrom: { secretKeyRef: { name: secret, key: PASSWORD_KEY } },
});

export const storeSecurity: V1SecurityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
};
