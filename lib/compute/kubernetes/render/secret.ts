import type { V1Secret } from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec } from './context.ts';
import { secretData } from './environment.ts';
import { metadataOf } from './metadata.ts';
import { setName } from './names.ts';

/** The environment of a set. It never changes: other values make another set. */
export function renderSecret(spec: ServerSpec, context: RenderContext, key: string): V1Secret {
  const data = secretData(spec);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadataOf(setName(baseNameOf(spec), key), spec, context, { set: key }),
    type: 'Opaque',
    immutable: true,
    // The API server takes an empty one for a change of what has none.
    ...(Object.keys(data).length > 0 && { data }),
  };
}
