import type { KubernetesObject, V1PodSpec } from '@kubernetes/client-node';
import * as z from 'zod';
import { DEFAULT_STORE_IMAGES, EARLIER_STORE_IMAGES } from '../../../listener/store-images.ts';
import type { RenderContext } from './context.ts';
import type { Store } from './environment.ts';
import { annotations } from './names.ts';

/** What the operator decides of the pod of a store. What runs keeps it until the deployment's next revision. */
const storePod = z.object({
  image: z.string(),
  pullSecrets: z.array(z.string()),
  /** False where the cluster gives each namespace users of its own, as OpenShift does. */
  hasFixedUser: z.boolean(),
});
const readNote = z
  .string()
  .transform((text, ctx): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      ctx.addIssue('no JSON');
      return z.NEVER;
    }
  })
  .pipe(storePod);
export type StorePod = z.output<typeof storePod>;

/** As the operator has it now. */
export const storePodOf = (
  { storeImages, storePullSecrets = [], openshift = false }: RenderContext,
  store: Store,
): StorePod => ({
  image: storeImages?.[store] ?? DEFAULT_STORE_IMAGES[store],
  pullSecrets: [...storePullSecrets],
  hasFixedUser: !openshift,
});

export const storePodNote = (pod: StorePod): Record<string, string> => ({
  [annotations.store]: JSON.stringify(pod),
});

/** As it was when an object of the cluster was made; one without a note is of an earlier release. */
export function notedStorePod({ metadata }: KubernetesObject, store: Store): StorePod {
  const noted = readNote.safeParse(metadata?.annotations?.[annotations.store]);
  return noted.data ?? { image: EARLIER_STORE_IMAGES[store], pullSecrets: [], hasFixedUser: true };
}

/** The user that both images make for their server. */
const STORE_USER = 999;

/** These images are known, so that theirs may be stricter than a deployment's own. */
export const storePodBase = ({ pullSecrets, hasFixedUser }: StorePod): Partial<V1PodSpec> => ({
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
  securityContext: {
    runAsNonRoot: true,
    ...(hasFixedUser && { runAsUser: STORE_USER, runAsGroup: STORE_USER, fsGroup: STORE_USER }),
    seccompProfile: { type: 'RuntimeDefault' },
  },
});
