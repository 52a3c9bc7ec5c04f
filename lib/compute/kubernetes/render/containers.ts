import type { V1Container, V1SecurityContext, V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import type { ResourceSpec } from '../../../contract/deployments/resource-spec.ts';
import { podSecurityOf } from '../../../contract/pod-security.ts';
import { withoutNulls } from '../../../contract/validation/json.ts';
import type { RenderContext } from './context.ts';

type Given = NonNullable<ResourceSpec['sidecars']>[number];
type Mounts = NonNullable<ResourceSpec['volume_mounts']>;
type Lists = Pick<ResourceSpec, 'init_containers' | 'sidecars'>;

/** Nobody may gain rights inside. An image runs as the user that its maker chose, and many are root. */
const ordinarySecurity: V1SecurityContext = { allowPrivilegeEscalation: false };

/** What the profile `restricted` demands of every container; the pod says that nobody is root. */
const restrictedSecurity: V1SecurityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
};

/** Of a container that Slipway adds. */
export const containerSecurity = ({ computeConfig }: RenderContext): V1SecurityContext =>
  podSecurityOf(computeConfig) === 'restricted' ? restrictedSecurity : ordinarySecurity;

/**
 * Of a deployment's own container. What it gives replaces ours; `restricted` also wants what it does not
 * mention.
 */
function securityOf({ securityContext: given }: Given, context: RenderContext): unknown {
  if (given === undefined || given === null) return containerSecurity(context);
  if (podSecurityOf(context.computeConfig) !== 'restricted') return given;
  const { capabilities, ...own } = withoutNulls(given);
  return {
    ...restrictedSecurity,
    ...own,
    capabilities: {
      ...restrictedSecurity.capabilities,
      ...withoutNulls(typeof capabilities === 'object' ? (capabilities ?? {}) : {}),
    },
  };
}

/** Quantities may come as numbers. */
const quantities = (list: Record<string, unknown> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(list ?? {}).map(([name, quantity]) => [name, String(quantity)]));

function resourcesOf({ resources }: Given): Pick<V1Container, 'resources'> {
  if (resources === undefined) return {};
  const { requests, limits } = resources;
  return {
    resources: {
      ...(requests !== undefined && { requests: quantities(requests) }),
      ...(limits !== undefined && { limits: quantities(limits) }),
    },
  };
}

/** A container of the deployment's own, as it was given. */
function renderContainer(given: Given, context: RenderContext): V1Container {
  const { volumeMounts, resources: _, ...fields } = given;
  const rendered = {
    ...fields,
    securityContext: securityOf(given, context),
    ...resourcesOf(given),
    ...(volumeMounts !== undefined && { volumeMounts: renderMounts(volumeMounts) }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- free objects inside, `valueFrom` say, are for the API server to judge
  return rendered as V1Container;
}

/** A sidecar with a restartPolicy is what Kubernetes itself calls one: an init container that keeps running. */
const isNative = ({ restartPolicy }: Given): boolean => restartPolicy !== undefined;

/** Init containers in their order, then the sidecars that start before the server. */
export const renderInitContainers = (
  { init_containers: first, sidecars }: Lists,
  context: RenderContext,
): V1Container[] =>
  [...(first ?? []), ...(sidecars ?? []).filter(isNative)].map((given) => renderContainer(given, context));

/** The sidecars that run beside the server. */
export const renderSidecars = ({ sidecars }: Lists, context: RenderContext): V1Container[] =>
  (sidecars ?? []).filter((sidecar) => !isNative(sidecar)).map((given) => renderContainer(given, context));

export const renderMounts = (mounts: Mounts): V1VolumeMount[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a mount without a path is refused before it is rendered
  mounts as V1VolumeMount[];

export const renderVolumes = ({ volumes }: Pick<ResourceSpec, 'volumes'>): V1Volume[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a volume's source holds is for the API server to judge
  (volumes ?? []) as unknown[] as V1Volume[];
