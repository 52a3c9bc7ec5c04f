import type { Deployment } from './items.ts';

/**
 * Who writes a field of a deployment after its creation. `wish`: a request, as its author asks; one that changes no wish, no source and no
 * secret changes nothing. `request`: a request too, but it follows from what is asked. `engine`: whatever processes its revisions, at the same
 * time as requests. A new field does not compile until it stands here.
 */
const writers = {
  v: 'nobody',
  entity: 'nobody',
  tenant_id: 'nobody',
  id: 'nobody',
  name: 'nobody',
  source: 'nobody',
  agent: 'nobody',
  created_at: 'nobody',
  created_by: 'nobody',
  listener_id: 'nobody',
  k8s_namespace: 'nobody',
  display_name: 'wish',
  tracked_packages: 'wish',
  config: 'wish',
  secret_references: 'wish',
  updated_at: 'request',
  revision_source: 'request',
  revision_config: 'request',
  secret_names: 'request',
  config_version: 'request',
  configuration: 'request',
  secrets: 'request',
  latest_number: 'request',
  latest_revision_id: 'request',
  status: 'engine',
  active: 'engine',
  slot: 'engine',
  queued: 'engine',
  task_id: 'engine',
  epoch: 'engine',
  due_at: 'engine',
  artifacts: 'engine',
} as const satisfies Record<keyof Deployment, 'wish' | 'request' | 'engine' | 'nobody'>;

type Field = keyof Deployment;

const writtenBy = (...names: string[]): Field[] =>
  // The keys of `writers` are exactly the fields: `satisfies` has checked it.
  (Object.keys(writers) as Field[]).filter((field) => names.includes(writers[field]));

/** The fields that a request may ask to change, beside the source and the values of secrets. */
export const wishedFields = writtenBy('wish');

/** All fields that a request writes. */
export const requestedFields = writtenBy('wish', 'request');
