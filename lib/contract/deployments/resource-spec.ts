import * as z from 'zod';
import { closedObject } from '../validation/closed-object.ts';
import { freeObject, freeText, longTexts, NUMBER_MAX, withoutNulls } from '../validation/json.ts';
import { report, valueError } from '../validation/problems.ts';

const LIST_LENGTH_MAX = 100;

const text = freeText.nullish();
const texts = z.array(freeText).max(LIST_LENGTH_MAX).nullish();
const json = freeObject.nullish();

export const volume = closedObject({
  name: text,
  configMap: json,
  secret: json,
  emptyDir: json,
  persistentVolumeClaim: json,
  nfs: json,
  projected: json,
  downwardAPI: json,
  csi: json,
}).superRefine((given, ctx) => {
  if (Object.keys(given).length === 0)
    report(ctx, valueError('a volume is not empty: it has a name and a source'));
});

export const volumeMount = closedObject({
  name: text,
  mountPath: text,
  subPath: text,
  mountPropagation: text,
  subPathExpr: text,
  readOnly: z.boolean().nullish(),
});

export const container = closedObject({
  name: freeText.min(1),
  image: freeText.min(1),
  imagePullPolicy: text,
  workingDir: text,
  restartPolicy: text,
  command: texts,
  args: texts,
  env: z
    .array(closedObject({ name: freeText.min(1), value: text, valueFrom: json }))
    .max(LIST_LENGTH_MAX)
    .nullish(),
  envFrom: z.array(freeObject).max(LIST_LENGTH_MAX).nullish(),
  resources: closedObject({ limits: json, requests: json }).nullish(),
  volumeMounts: z.array(volumeMount).max(LIST_LENGTH_MAX).nullish(),
  securityContext: json,
});

const int = z.int().nullish();
const number = z.number().max(NUMBER_MAX).nullish();

/** The shape only; what the numbers may be, and what they default to, is `lib/domain/resource-spec.ts`. */
export const resourceSpec = z
  .object({
    min_scale: int,
    max_scale: int,
    cpu: number,
    cpu_limit: number,
    memory_mb: int,
    memory_limit_mb: int,
    queue_min_scale: int,
    queue_max_scale: int,
    queue_cpu: number,
    queue_cpu_limit: number,
    queue_memory_mb: int,
    queue_memory_limit_mb: int,
    redis_cpu: number,
    redis_cpu_limit: number,
    redis_memory_mb: int,
    redis_memory_limit_mb: int,
    core_cpu: number,
    core_cpu_limit: number,
    core_memory_mb: int,
    core_memory_limit_mb: int,
    db_cpu: number,
    db_cpu_limit: number,
    db_memory_mb: number,
    db_memory_limit_mb: number,
    db_storage_gi: number,
    db_max_connections: number,
    labels: json,
    annotations: longTexts.nullish(),
    service_account_name: text,
    image_pull_secrets: z
      .array(z.object({ name: freeText.min(1) }))
      .max(LIST_LENGTH_MAX)
      .nullish(),
    volumes: z.array(volume).max(LIST_LENGTH_MAX).nullish(),
    volume_mounts: z.array(volumeMount).max(LIST_LENGTH_MAX).nullish(),
    init_containers: z.array(container).max(LIST_LENGTH_MAX).nullish(),
    sidecars: z.array(container).max(LIST_LENGTH_MAX).nullish(),
  })
  .transform(withoutNulls);
export type ResourceSpec = z.output<typeof resourceSpec>;
