import { type ComputeType, computeKinds } from '../compute/kinds.ts';
import { platformPattern } from '../contract/images/platforms.ts';

/** What is known of a listener's machines. `platform`: what it says itself, at each claim. */
export type Machines = {
  compute_type: ComputeType;
  compute_id: string;
  compute_config: { [name: string]: unknown };
  platform?: string | undefined;
};

/**
 * What a listener can run, by what it says and by its compute_config; empty when neither is known. A machine
 * runs what it says that it is. A cluster's nodes may be of other kinds than the one that its listener runs
 * on, so there the configuration counts before what is said.
 */
export function platformsOf({ compute_type: type, compute_config: config, platform }: Machines): string[] {
  const said = platform === undefined ? [] : [platform];
  const configured = configuredIn(config);
  const [first, second] = computeKinds[type].isOneMachine ? [said, configured] : [configured, said];
  return first.length > 0 ? first : second;
}

/** The platforms of a compute_config, as far as they are well formed. */
function configuredIn({ platforms }: { platforms?: unknown }): string[] {
  const given: unknown[] = Array.isArray(platforms) ? platforms : [];
  return given.filter((one) => typeof one === 'string').filter((one) => platformPattern.test(one));
}

/**
 * Why a listener cannot run what was made for `made`, in a sentence for a person; undefined when it can, or
 * when either is not known. What one of several platforms can run fits.
 */
export function misfit(made: readonly string[] | undefined, listener: Machines): string | undefined {
  const runs = platformsOf(listener);
  if (made === undefined || runs.length === 0 || made.some((one) => runs.some((other) => same(one, other))))
    return undefined;
  return `What this revision would run was made for ${made.join(' and ')}, but listener ${listener.compute_id} runs ${runs.join(' and ')}. Deploy its source again to have it built for that: PATCH the deployment with its repo_ref, or with a new upload.`;
}

/** Why nothing is built for a listener where only what `able` names can be built for. */
export const cannotBuild = (listener: Machines, able: readonly string[]): string =>
  `Listener ${listener.compute_id} runs ${platformsOf(listener).join(' and ')}, and this installation builds for ${able.join(' and ')} only, so nothing was built. Deploy to a listener on ${able.join(' or ')}.`;

/** The eighth version of arm64 is the one that is meant without a version. */
const same = (one: string, other: string): boolean => plain(one) === plain(other);
const plain = (platform: string): string => platform.replace(/^(\w+\/arm64)\/v8$/, '$1');
