import { randomBytes } from 'node:crypto';
import type { KubernetesObject, V1Secret } from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec } from './render/context.ts';
import {
  needsStore,
  renderNetworkPolicy,
  renderPostgres,
  renderRedis,
  renderRoute,
  renderService,
  renderServiceAccount,
} from './render/deployment-objects.ts';
import { postgresName, redisName } from './render/names.ts';
import { PASSWORD_KEY } from './render/store-objects.ts';

const PASSWORD_BYTES = 24;

/**
 * What a deployment has once, whichever set serves, in the order in which it is made. A store keeps the
 * password that its Secret has.
 */
export function sharedObjects(
  spec: ServerSpec,
  context: RenderContext,
  secretOf: (name: string) => V1Secret | undefined,
): KubernetesObject[] {
  const passwordOf = (name: string): string => {
    const known = secretOf(name)?.data?.[PASSWORD_KEY];
    return known === undefined
      ? randomBytes(PASSWORD_BYTES).toString('base64url')
      : Buffer.from(known, 'base64').toString();
  };
  const base = baseNameOf(spec);
  const redis = needsStore(spec, 'redis')
    ? renderRedis(spec, context, passwordOf(redisName(base)))
    : undefined;
  const postgres = needsStore(spec, 'postgres')
    ? renderPostgres(spec, context, passwordOf(postgresName(base)))
    : undefined;
  return [
    renderServiceAccount(spec, context),
    renderNetworkPolicy(spec, context),
    ...Object.values(redis ?? {}),
    ...Object.values(postgres ?? {}),
    renderService(spec, context),
    renderRoute(spec, context),
  ].filter((object): object is KubernetesObject => object !== undefined);
}
