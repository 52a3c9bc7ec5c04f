import { type PlainField, plainFields } from '../../contract/deployments/fields.ts';
import type { Deployment } from './items.ts';

/**
 * What a request to change a deployment does with each field. `wish`: it asks for it; a request that changes
 * no wish, no source of revisions and no secret changes nothing. `result`: it writes what follows from the
 * request. `kept`: it leaves the field as it is; most of these belong to the engine, which writes at the same
 * time. Plain fields are wishes. A new field does not compile until it stands here.
 */
const uses = {
  v: 'kept',
  entity: 'kept',
  tenant_id: 'kept',
  id: 'kept',
  name: 'kept',
  source: 'kept',
  agent: 'kept',
  created_at: 'kept',
  created_by: 'kept',
  listener_id: 'kept',
  k8s_namespace: 'kept',
  config: 'wish',
  secret_references: 'wish',
  updated_at: 'result',
  revision_source: 'result',
  revision_config: 'result',
  secret_names: 'result',
  config_version: 'result',
  configuration: 'result',
  secrets: 'result',
  latest_number: 'result',
  latest_revision_id: 'result',
  status: 'kept',
  active: 'kept',
  reported_urls: 'kept',
  slot: 'kept',
  queued: 'kept',
  pushed: 'kept',
  task_id: 'kept',
  epoch: 'kept',
  due_at: 'kept',
  artifacts: 'kept',
} as const satisfies Record<Exclude<keyof Deployment, PlainField>, 'wish' | 'result' | 'kept'>;

type Field = keyof Deployment;

const fieldsOf = (...names: string[]): Field[] =>
  // The keys of `uses` are exactly the other fields: `satisfies` has checked it.
  (Object.keys(uses) as (keyof typeof uses)[]).filter((field) => names.includes(uses[field]));

/** The fields that a request may ask to change, beside the source and the values of secrets. */
export const wishedFields: readonly Field[] = [...plainFields, ...fieldsOf('wish')];

/** All fields that a request writes. */
export const requestedFields: readonly Field[] = [...wishedFields, ...fieldsOf('result')];
