import { isDeepStrictEqual } from 'node:util';
import { type PlainField, plainFields } from '../../../contract/deployments/fields.ts';
import type { ChangeDeploymentBody } from '../../../contract/deployments/requests.ts';
import type { Secret } from '../../../contract/deployments/secrets.ts';
import { wishedFields } from '../../../core/items/deployment-fields.ts';
import type { Deployment, DeploymentConfig } from '../../../core/items/items.ts';
import { isReported } from '../../../domain/agent-address.ts';
import { mergeConfig } from './merge.ts';

/**
 * The deployment with the changes that a request makes; source and counters stay. `secrets`: the new ones, if
 * any.
 */
export function withChangesOf(
  before: Deployment,
  body: ChangeDeploymentBody,
  secrets: Secret[] | undefined,
): Deployment {
  const { source_config: config } = body;
  return {
    ...withPlain(before, body),
    config: mergeConfig(before.config, withoutShownAddress(before, config ?? {})),
    secret_references: body.secret_references ?? before.secret_references,
    ...(secrets !== undefined && { secret_names: secrets.map(({ name }) => name) }),
  };
}

/** With what a body says of the plain fields: absent keeps, null clears. */
export function withPlain<T extends Partial<Pick<Deployment, PlainField>>>(
  before: T,
  body: { [F in PlainField]?: unknown },
): T {
  const after = { ...before };
  for (const field of plainFields) {
    const value = body[field];
    if (value === null) delete after[field];
    else if (value !== undefined) Object.assign(after, { [field]: value });
  }
  return after;
}

/** The address shown may be the listener's, now or once; sending it back is no wish for one's own. */
function withoutShownAddress(
  deployment: Deployment,
  asked: Partial<DeploymentConfig>,
): Partial<DeploymentConfig> {
  const { custom_url: address, ...rest } = asked;
  return address !== undefined && isReported(deployment, address) ? rest : asked;
}

/** JSON alone counts: neither the order of members nor the kind of object that they were read into. */
export const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Whether two states of a deployment have the same configuration. Values of secrets are not compared. */
export const hasSameConfiguration = (one: Deployment, other: Deployment): boolean =>
  wishedFields.every((field) => isDeepStrictEqual(plain(one[field]), plain(other[field])));
