import { isDeepStrictEqual } from 'node:util';
import {
  clearableFields,
  configFields,
  type PlainField,
  plainFields,
} from '../../contract/deployments/fields.ts';
import { SECRET_MASK, type Secret } from '../../contract/deployments/secrets.ts';
import { ValidationError } from '../../contract/errors.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { Deps } from '../../core/deps.ts';
import { type Sealed, wishedFields } from '../../core/engine/transactions/deployments.ts';
import { deploymentRefOf } from '../../core/items/deployments.ts';
import type { Deployment, DeploymentConfig } from '../../core/items/items.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { openBuildSecrets, openDeploymentSecrets, sealDeploymentSecrets } from '../../core/secrets.ts';
import { isReported } from '../../domain/agent-address.ts';
import { nothingToBuild } from '../../domain/source.ts';
import type { ChangeDeploymentBody } from './shape.ts';

/** What a request asks for; its build secrets are kept by `withBuildSecrets`. */
type AskedConfig = Partial<Omit<DeploymentConfig, 'build_secrets'>>;

/** Merges what was asked into what was configured: absent keeps, empty clears where a field is clearable. */
export function mergeConfig(current: DeploymentConfig, asked: AskedConfig): DeploymentConfig {
  const merged: DeploymentConfig = { ...current };
  for (const field of configFields)
    if (field !== 'build_secrets' && asked[field] !== undefined)
      Object.assign(merged, { [field]: asked[field] });
  for (const field of clearableFields) if (isEmpty(merged[field])) delete merged[field];
  return merged;
}

/** A text, a list or an object without content. */
const isEmpty = (value: string | object | undefined): boolean =>
  value !== undefined && Object.keys(value).length === 0;

/** The new secrets of servers and builds that a request asks for; undefined: they stay as they are. */
export type NewSecrets = { secrets: Secret[] | undefined; buildSecrets: Secret[] | undefined };

type AskedSecrets = {
  secrets?: Secret[] | undefined;
  source_config?: { build_secrets?: Secret[] | undefined } | undefined;
};

/**
 * The secrets a request asks for, with each mask replaced by the value that is stored under its name. Throws
 * 422 for a mask of a name that has none. Those that would be the same stay as they are.
 */
export async function resolveSecrets(
  deps: Pick<Deps, 'table' | 'keys'>,
  deployment: Deployment | undefined,
  { secrets, source_config: config }: AskedSecrets,
): Promise<NewSecrets> {
  const opened = async (open: typeof openDeploymentSecrets, version: number | undefined) =>
    deployment === undefined ? [] : open(deps, deploymentRefOf(deployment), version);
  const buildSecrets = config?.build_secrets;
  const ofBuilds = deployment?.config.build_secrets?.version;
  return {
    secrets:
      secrets && resolved(['secrets'], secrets, await opened(openDeploymentSecrets, deployment?.secrets)),
    buildSecrets:
      buildSecrets &&
      resolved(['source_config', 'build_secrets'], buildSecrets, await opened(openBuildSecrets, ofBuilds)),
  };
}

function resolved(place: readonly string[], asked: Secret[], stored: Secret[]): Secret[] | undefined {
  const values = new Map(stored.map((secret) => [secret.name, secret.value]));
  const items = asked.flatMap((secret, index) =>
    secret.value === SECRET_MASK && !values.has(secret.name)
      ? [
          {
            loc: ['body', ...place, index, 'value'],
            type: 'value_error',
            msg: `Value error, the mask keeps a stored value, but no secret named ${secret.name} is stored`,
          },
        ]
      : [],
  );
  if (items.length > 0) throw new ValidationError(items);
  const whole = asked.map(({ name, value }) => ({
    name,
    value: value === SECRET_MASK ? (values.get(name) ?? value) : value,
  }));
  return isDeepStrictEqual(whole, stored) ? undefined : whole;
}

/** Ciphertexts of what is new; of an empty list there is nothing to keep. */
export async function sealNew(
  deps: Pick<Deps, 'keys'>,
  ref: DeploymentRef,
  { secrets, buildSecrets }: NewSecrets,
): Promise<Sealed> {
  const sealed = async (list: Secret[] | undefined) =>
    list === undefined || list.length === 0 ? undefined : sealDeploymentSecrets(deps, ref, list);
  return { secrets: await sealed(secrets), buildSecrets: await sealed(buildSecrets) };
}

/** What a configuration keeps of new build secrets, of which this is the version. */
export function withBuildSecrets(
  config: DeploymentConfig,
  buildSecrets: Secret[] | undefined,
  version: number,
): DeploymentConfig {
  if (buildSecrets === undefined) return config;
  const { build_secrets: _, ...rest } = config;
  const names = buildSecrets.map(({ name }) => name);
  return names.length === 0 ? rest : { ...rest, build_secrets: { version, names } };
}

/**
 * The deployment with the changes that a request makes; source and counters stay. `secrets`: the new ones, if
 * any.
 */
export function withChangesOf(
  before: Deployment,
  body: ChangeDeploymentBody,
  { secrets, buildSecrets }: NewSecrets,
): Deployment {
  const { source_config: config } = body;
  const merged = mergeConfig(before.config, withoutShownAddress(before, config ?? {}));
  return {
    ...withPlain(before, body),
    config: withBuildSecrets(merged, buildSecrets, before.config_version + 1),
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
function withoutShownAddress(deployment: Deployment, asked: AskedConfig): AskedConfig {
  const { custom_url: address, ...rest } = asked;
  return address !== undefined && isReported(deployment, address) ? rest : asked;
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** JSON alone counts: neither the order of members nor the kind of object that they were read into. */
export const isSameJson = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(asJson(one), asJson(other));

/** Whether two states of a deployment have the same configuration. Values of secrets are not compared. */
export const hasSameConfiguration = (one: Deployment, other: Deployment): boolean =>
  wishedFields.every((field) => isSameJson(one[field], other[field]));

/**
 * The deployment with the source that a request takes over which names none: that of its latest revision, or,
 * when that one had nothing to build, of the nearest before it that was not SKIPPED.
 */
export async function withSettledSource(
  { table }: Pick<Deps, 'table'>,
  deployment: Deployment,
): Promise<Deployment> {
  const { config, revision_source: kind, revision_config: fields } = deployment;
  if (nothingToBuild(kind, { ...config, ...fields }) === undefined) return deployment;
  const ref = deploymentRefOf(deployment);
  for (let number = deployment.latest_number; number > 0; number--) {
    const revision = await findRevisionByNumber(table, ref, number);
    if (revision === undefined || revision.status === 'SKIPPED') continue;
    const { source, revision_config } = revision;
    return { ...deployment, revision_source: source, revision_config };
  }
  return deployment;
}
