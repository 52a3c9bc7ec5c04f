import { isDeepStrictEqual } from 'node:util';
import type { ChangeDeploymentBody } from '../../../contract/deployments/requests.ts';
import { refuse } from '../../../contract/errors.ts';
import type { Deployment } from '../../../core/items/items.ts';
import { plain } from '../configuration/apply.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that are not what is stored already. */
function others<T extends Fields>(asked: T | undefined, stored: Fields | undefined): Partial<T> {
  const entries = Object.entries(asked ?? {}).filter(([name, value]) => !isSame(value, stored?.[name]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of the fields of `asked`, as they are
  return Object.fromEntries(entries) as Partial<T>;
}

const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(plain(one), plain(other));

type Source = ChangeDeploymentBody['source_revision_config'];
type Config = ChangeDeploymentBody['source_config'];

/**
 * What a request asks for and the deployment does not have: that alone is judged, for what is stored may be
 * sent back, though it would be refused today.
 */
export function askedAnew(
  { config, revision_config, secret_references }: Deployment,
  body: ChangeDeploymentBody,
): {
  source_config: Partial<NonNullable<Config>>;
  source_revision_config: Partial<NonNullable<Source>>;
  secret_references: ChangeDeploymentBody['secret_references'];
} {
  const { resource_spec: spec, ...rest } = others(body.source_config, config);
  const members = others(spec, config.resource_spec);
  return {
    source_config: { ...rest, ...(Object.keys(members).length > 0 && { resource_spec: members }) },
    source_revision_config: others(body.source_revision_config, revision_config),
    secret_references: isSame(body.secret_references, secret_references) ? undefined : body.secret_references,
  };
}

/** Sending back what is there is no change. */
export function checkImmutable(deployment: Deployment, body: ChangeDeploymentBody): void {
  const config = body.source_config ?? {};
  const pairs: [field: string, asked: unknown, current: unknown][] = [
    ['name', body.name, deployment.name],
    ['source', body.source, deployment.source],
    ['source_config.listener_id', config.listener_id, deployment.listener_id],
    ['source_config.listener_config', config.listener_config?.k8s_namespace, deployment.k8s_namespace],
    ['source_config.deployment_type', config.deployment_type, deployment.config.deployment_type],
    ['agent', body.agent, deployment.agent],
  ];
  const changed = pairs.find(
    ([, asked, current]) => asked !== undefined && !isDeepStrictEqual(asked, current),
  );
  if (changed !== undefined) throw refuse('immutable_field', { field: changed[0] });
}
