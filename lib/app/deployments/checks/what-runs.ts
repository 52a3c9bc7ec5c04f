import { refuse } from '../../../contract/errors.ts';
import type { Listener } from '../../../store/engine/items.ts';

type Asked = {
  secret_references?: readonly unknown[] | undefined;
  source_config?: { resource_spec?: Readonly<Record<string, unknown>> | undefined } | undefined;
};

/** What of a `resource_spec` only a cluster has, and what to do without it on Fargate. */
const CLUSTER_ONLY: Record<string, string> = {
  volumes: 'keep files in S3 or a database',
  volume_mounts: 'keep files in S3 or a database',
  init_containers: 'let the image prepare what it needs when it starts',
  sidecars: 'bring what runs beside the server into the image',
  image_pull_secrets: "push the image to this installation's registry (source 'internal_docker')",
  service_account_name: 'give the server what it may do as a secret',
  annotations: "give what describes it as 'labels'",
};

/**
 * Refuses what the compute behind a listener cannot give to an agent: secrets of its own to refer to, and on
 * Fargate also what only a cluster has. An empty list or object asks for nothing.
 */
export function checkWhatRuns({ compute_type: type, compute_id: id }: Listener, asked: Asked): void {
  if (type === 'k8s') return;
  if ((asked.secret_references ?? []).length > 0) {
    const runs = type === 'process' ? 'runs processes' : 'runs on Fargate';
    throw refuse('source_configuration', {
      reason: `listener ${id} ${runs} and has no secrets of its own to refer to; send the values as 'secrets'.`,
    });
  }
  if (type !== 'ecs') return;
  const spec = asked.source_config?.resource_spec ?? {};
  const field = Object.keys(CLUSTER_ONLY).find((name) => asksFor(spec[name]));
  if (field === undefined) return;
  throw refuse('source_configuration', {
    reason: `listener ${id} runs on Fargate, which has no '${field}' of resource_spec; ${CLUSTER_ONLY[field]}, or use a listener of compute_type 'k8s'.`,
  });
}

function asksFor(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
