import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CoreV1Api, KubeConfig, type KubernetesObject } from '@kubernetes/client-node';
import type { World } from './world.ts';

/** Where the chart is installed, and what its ServiceAccount is called. */
export const NAMESPACE = 'slipway';
const ACCOUNT = 'slipway-listener';
/** As the audit log names it. */
export const chartUser = `system:serviceaccount:${NAMESPACE}:${ACCOUNT}`;

const plurals: Record<string, string> = {
  ServiceAccount: 'serviceaccounts',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  Deployment: 'deployments',
  PodDisruptionBudget: 'poddisruptionbudgets',
};

/**
 * Applies an object of the chart as it is written, which the API server refuses when it does not know a
 * field: the client would leave that out. Gives `taken`, or what the API server says.
 */
export async function applyOfChart(
  { config }: World,
  { apiVersion = '', kind = '', metadata, ...rest }: KubernetesObject,
  query = '',
): Promise<string> {
  const place = `namespaces/${metadata?.namespace}/${plurals[kind]}/${metadata?.name}`;
  const path = `${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/${place}`;
  const options: Parameters<KubeConfig['applyToHTTPSOptions']>[0] = { method: 'PATCH' };
  await config.applyToHTTPSOptions(options);
  const headers = { ...options.headers, 'content-type': 'application/apply-patch+yaml' };
  const url = `${config.getCurrentCluster()?.server}/${path}?fieldManager=test${query}`;
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, headers }, (response) => {
      void text(response).then((said) =>
        resolve(response.statusCode?.toString().startsWith('2') ? 'taken' : said),
      );
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ apiVersion, kind, metadata, ...rest }));
  });
}

/** The administrator's kubeconfig, but as the chart's account. */
export async function kubeconfigOfChart({ config: admin, cluster: { folder } }: World): Promise<string> {
  const body = { spec: { audiences: [], expirationSeconds: 3600 } };
  const { status } = await admin.makeApiClient(CoreV1Api).createNamespacedServiceAccountToken({
    namespace: NAMESPACE,
    name: ACCOUNT,
    body,
  });
  const cluster = admin.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig names no cluster');
  const config = new KubeConfig();
  config.loadFromClusterAndUser(cluster, { name: ACCOUNT, token: status?.token ?? '' });
  const file = join(folder, 'account-kubeconfig');
  await writeFile(file, config.exportConfig());
  return file;
}
