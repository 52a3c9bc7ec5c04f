import type { DurableWish } from '../../contract/deployments/runtimes.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import { serverOf } from '../../domain/agent-server.ts';
import { durableWish, type Resolved, resolvedAgain, resolveRuntime } from '../../domain/runtime.ts';
import type { Deps, Settings } from '../deps.ts';
import { configurationOf, deploymentRefOf, getConfiguration } from '../items/deployments.ts';
import type { Configuration, Deployment, Listener, Revision } from '../items/items.ts';
import { findListener } from '../items/listeners.ts';

type Built = { deployment: Deployment; configuration: Configuration; listener: Listener };

/** What a revision runs with; it is read only where the deployment has another one by now. */
export const configurationFor = async (
  { table }: Pick<Deps, 'table'>,
  ref: DeploymentRef,
  deployment: Deployment,
  { configuration: version }: Revision,
): Promise<Configuration> =>
  version === deployment.configuration ? configurationOf(deployment) : getConfiguration(table, ref, version);

/**
 * What runs a revision that was built, or brings its image; or why nothing can. One that is deployed again
 * runs in what it ran in. Undefined: its listener is gone.
 */
export async function runtimeOf(
  deps: Pick<Deps, 'table'> & { settings: Pick<Settings, 'defaultRuntime'> },
  deployment: Deployment,
  revision: Revision,
): Promise<Resolved | { problem: string } | undefined> {
  const { runtime: known } = revision;
  const ref = deploymentRefOf(deployment);
  if (known !== undefined)
    return known === deployment.runtime?.resolved
      ? deployment.runtime
      : resolvedAgain(known, await configurationFor(deps, ref, deployment, revision));
  const [configuration, host] = await Promise.all([
    configurationFor(deps, ref, deployment, revision),
    findListener(deps.table, deployment.tenant_id, deployment.listener_id),
  ]);
  if (host === undefined) return undefined;
  const { resource_spec: sent = {}, runtime: wish, start_command: startCommand } = configuration;
  return resolveRuntime({
    wish,
    before: deployment.runtime?.resolved,
    hasServed: deployment.active !== undefined,
    isBuiltDurable: revision.artifact?.durable === true,
    server: serverOf({ source: revision.source, server: revision.artifact?.server }, sent),
    startCommand,
    host,
    fallback: deps.settings.defaultRuntime ?? 'auto',
  });
}

/** Whether a revision is built for Slipway's own agent server. */
export const durableWishOf = (
  { settings }: { settings: Pick<Settings, 'defaultRuntime'> },
  { deployment, configuration, listener }: Built,
): DurableWish | undefined =>
  durableWish({
    wish: configuration.runtime,
    before: deployment.runtime?.resolved,
    hasServed: deployment.active !== undefined,
    startCommand: configuration.start_command,
    host: listener,
    fallback: settings.defaultRuntime ?? 'auto',
  });
