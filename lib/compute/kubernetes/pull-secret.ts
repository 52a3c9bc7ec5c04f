import type { V1Secret } from '@kubernetes/client-node';
import type { RegistryCredentials } from '../../listener/control-plane.ts';
import { labels, MANAGED_BY } from './render/names.ts';

/** As deployments' names have it. */
const ID_DIGITS = 8;

export const pullSecretName = (listenerId: string): string =>
  `slipway-pull-${listenerId.replaceAll('-', '').slice(-ID_DIGITS)}`;

/** What nodes pull from the installation's registry with: one of a namespace, for all of its deployments. */
export function renderPullSecret(
  listenerId: string,
  namespace: string,
  { registry, username, password }: RegistryCredentials,
): V1Secret {
  const auth = base64(`${username}:${password}`);
  const config = { auths: { [registry]: { username, password, auth } } };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: pullSecretName(listenerId),
      namespace,
      labels: { [labels.managedBy]: MANAGED_BY, [labels.listener]: listenerId },
    },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': base64(JSON.stringify(config)) },
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
