import type { KubernetesConfig } from '../../../contract/kubernetes-config.ts';
import type { DeploySpec } from '../../../features/listener-protocol/shape.ts';
import { baseName } from './names.ts';

export type { KubernetesConfig } from '../../../contract/kubernetes-config.ts';

/** What is rendered beside the revision: where, and how this listener does it. */
export type RenderContext = {
  listenerId: string;
  namespace: string;
  computeConfig: KubernetesConfig;
  /** What a server that stops has left for its requests. */
  graceSeconds: number;
  /** What a server has to get ready, unless its deployment says so; the driver's own deadline. */
  startTimeoutSeconds?: number;
  /** The Secret with which nodes pull from the installation's registry, where the driver keeps one. */
  pullSecret?: string;
  /** Images of our own stores, where the operator has others than the default ones. */
  storeImages?: Partial<Record<'postgres' | 'redis', string>>;
  /** The Secrets with which nodes pull them. */
  storePullSecrets?: readonly string[];
  /** What servers of a set that is there were told of themselves; absent: what its spec says. */
  told?: readonly { name: string; value?: string }[];
  /** The cluster is OpenShift: it gives pods their users itself, and DNS has another port. */
  openshift?: boolean;
};

/** What is rendered: the contract says what the image is, and whether workers run apart from it. */
export type ServerSpec = DeploySpec;

const START_TIMEOUT_SECONDS = 300;

export const startTimeoutSecondsOf = (
  { health_check: given }: Pick<ServerSpec, 'health_check'>,
  { startTimeoutSeconds }: RenderContext,
): number => given?.timeout_seconds ?? startTimeoutSeconds ?? START_TIMEOUT_SECONDS;

export const baseNameOf = (spec: Pick<DeploySpec, 'deployment_name' | 'deployment_id'>): string =>
  baseName(spec.deployment_name, spec.deployment_id);
