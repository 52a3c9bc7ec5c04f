import type { V1ServiceAccount } from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec } from './context.ts';
import { metadataOf } from './metadata.ts';
import { accountNameOf, resourcesOf } from './resources.ts';

/** The account of a deployment that names none of its own. It may do nothing, and its pods get no token. */
export function renderServiceAccount(spec: ServerSpec, context: RenderContext): V1ServiceAccount | undefined {
  if (accountNameOf(resourcesOf(spec)) !== undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadataOf(baseNameOf(spec), spec, context),
    automountServiceAccountToken: false,
  };
}
