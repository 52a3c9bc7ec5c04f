import type { V1ObjectMeta } from '@kubernetes/client-node';
import type { ResourceSpec } from '../../../contract/deployments/resource-spec.ts';
import type { RenderContext, ServerSpec } from './context.ts';
import { annotations, type Component, labels, MANAGED_BY } from './names.ts';

type Texts = Record<string, string>;
type Part = { set?: string; component?: Component };

/** The labels of every object; `set` and `component` where it belongs to one. */
export const ownLabels = (
  spec: ServerSpec,
  context: RenderContext,
  { set, component }: Part = {},
): Texts => ({
  [labels.managedBy]: MANAGED_BY,
  [labels.name]: spec.deployment_name,
  [labels.listener]: context.listenerId,
  [labels.tenant]: spec.tenant_id,
  [labels.deployment]: spec.deployment_id,
  ...(set !== undefined && { [labels.set]: set }),
  ...(component !== undefined && { [labels.component]: component }),
});

/** What selects the pods of one component. */
export const podSelector = (spec: ServerSpec, { set, component }: Part): Texts => ({
  [labels.deployment]: spec.deployment_id,
  ...(set !== undefined && { [labels.set]: set }),
  ...(component !== undefined && { [labels.component]: component }),
});

/** What of a deployment's own labels or annotations is text; the rest is refused before it is rendered. */
export const textsOf = (given: ResourceSpec['labels']): Texts =>
  Object.fromEntries(
    Object.entries(given ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

/** Which deployment and revision an object was last applied for. */
export const revisionAnnotations = (spec: ServerSpec): Texts => ({
  [annotations.deploymentName]: spec.deployment_name,
  [annotations.revision]: spec.revision_id,
});

/** The metadata of an object that is all ours. */
export const metadataOf = (
  name: string,
  spec: ServerSpec,
  context: RenderContext,
  { annotations: own, ...part }: Part & { annotations?: Texts } = {},
): V1ObjectMeta => ({
  name,
  namespace: context.namespace,
  labels: ownLabels(spec, context, part),
  ...(own !== undefined && { annotations: own }),
});
