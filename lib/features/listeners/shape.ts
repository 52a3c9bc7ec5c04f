import * as z from 'zod';
import { computeTypes, registeredComputeTypes } from '../../compute/kinds.ts';
import { platformPattern } from '../../contract/images/platforms.ts';
import { checkRouting, kubernetesFields } from '../../contract/kubernetes-config.ts';
import { asGiven } from '../../contract/validation/as-given.ts';
import { freeText, keepingProblem, withoutNulls } from '../../contract/validation/json.ts';
import { report, valueError } from '../../contract/validation/problems.ts';

const COMPUTE_ID_LENGTH_MAX = 256;
const NAMESPACES_COUNT_MAX = 100;
const NAMESPACE_LENGTH_MAX = 63;
/** Each is a build of its own. */
const PLATFORMS_COUNT_MAX = 4;
export const COMPUTE_CONFIG_SIZE_BYTES_MAX = 16 * 1024;

const namespace = z
  .string()
  .max(NAMESPACE_LENGTH_MAX)
  .regex(
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
    "a namespace has lower-case letters, digits and '-', and begins and ends with a letter or a digit",
  );

function checkComputeConfig(config: object, ctx: z.RefinementCtx): void {
  const problem = keepingProblem(config);
  if (problem !== undefined) {
    report(ctx, problem);
  } else if (Buffer.byteLength(JSON.stringify(config)) > COMPUTE_CONFIG_SIZE_BYTES_MAX) {
    report(ctx, valueError(`compute_config has at most ${COMPUTE_CONFIG_SIZE_BYTES_MAX} bytes`));
  }
  checkRouting(config, ctx);
}

/** `platforms`: what images are built for. Fields beside these are the client's own and kept. */
const computeConfig = asGiven(
  z.looseObject({
    k8s_namespaces: z.array(namespace).max(NAMESPACES_COUNT_MAX).nullish(),
    platforms: z
      .array(z.string().regex(platformPattern, "a platform looks like 'linux/amd64' or 'linux/arm/v7'"))
      .max(PLATFORMS_COUNT_MAX)
      .nullish(),
    ...kubernetesFields,
  }),
  checkComputeConfig,
).transform(({ k8s_namespaces: namespaces, platforms, ...own }) => ({
  ...own,
  ...(platforms !== null && platforms !== undefined && { platforms: [...new Set(platforms)] }),
  ...(namespaces !== null && namespaces !== undefined && { k8s_namespaces: [...new Set(namespaces)] }),
}));

/** `POST /v2/listeners`. */
export const createListenerBody = z
  .object({
    compute_type: z.enum(registeredComputeTypes),
    compute_id: z
      .string()
      .min(1)
      .max(COMPUTE_ID_LENGTH_MAX)
      .regex(/^\P{Cc}+$/u, 'a compute_id contains no control characters'),
    compute_config: computeConfig.transform((config) => ({ k8s_namespaces: [], ...config })),
    version: freeText.nullish(),
    is_default: z.boolean().nullish(),
  })
  .transform(withoutNulls);
export type CreateListenerBody = z.output<typeof createListenerBody>;

/**
 * `PATCH /v2/listeners/{listener_id}`. `compute_type` and `compute_id` are read only to refuse a change of
 * them.
 */
export const changeListenerBody = z
  .object({
    compute_type: z.string().nullish(),
    compute_id: z.string().nullish(),
    compute_config: computeConfig.nullish(),
    version: freeText.nullish(),
    is_default: z.boolean().nullish(),
  })
  .transform(withoutNulls);
export type ChangeListenerBody = z.output<typeof changeListenerBody>;

/** Listeners as responses show them. */

const text = z.string().nullable();
const timestamp = z.string();

export const listenerStatuses = ['ONLINE', 'OFFLINE', 'NEVER_SEEN'] as const;
export type ListenerStatus = (typeof listenerStatuses)[number];

const counted = z.object({ in_use: z.int(), quota: z.int() });

/** How much is in use, by all tenants, of what the agents of the installation share. */
export const capacityView = z.object({ target_groups: counted, rules: counted, counted_at: timestamp });

export const listenerView = z.object({
  id: z.guid(),
  compute_type: z.enum(computeTypes),
  compute_id: z.string(),
  compute_config: asGiven(z.looseObject({ k8s_namespaces: z.array(z.string()) })),
  created_at: timestamp,
  updated_at: timestamp,
  version: text,
  platform: text,
  is_default: z.boolean(),
  last_seen_at: text,
  status: z.enum(listenerStatuses),
  /** What an operator should change, in sentences. */
  warnings: z.array(z.string()),
  /** Of agents on Fargate; null for others, and until something was counted. */
  capacity: capacityView.nullable(),
});
export type ListenerView = z.input<typeof listenerView>;

// `offset` is what to ask the next page with.
export const listenerListView = z.object({ resources: z.array(listenerView), offset: z.int() });
