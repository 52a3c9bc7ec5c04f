import { revisionId } from '../../domain/revision-id.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { type Deployment, REVISION_VERSION, type Revision } from '../items/items.ts';
import { type SecretVersions, secretVersionsOf } from '../secrets.ts';

export type RevisionWish = {
  /** Given: the revision ends at once as SKIPPED, for this reason. */
  skipped: string | undefined;
  inherits: boolean;
  artifact: Revision['artifact'];
  /** The versions that it runs, where those are not the deployment's own. */
  runs?: RunVersions;
};

/** The versions of configuration and secrets that a revision runs and is built with; no secrets: none. */
export type RunVersions = { configuration: number } & SecretVersions;

/** Each status writes it again. */
const NAME_LENGTH_MAX = 100;

/**
 * The revision that a deployment, as it will be, gets next; its number is the deployment's `latest_number`.
 */
export function newRevision(
  deps: Pick<Deps, 'clock'>,
  deployment: Deployment,
  wish: RevisionWish,
  { userId, actor }: Pick<Caller, 'userId' | 'actor'>,
): Revision {
  const at = new Date(deps.clock.now()).toISOString();
  const status = wish.skipped === undefined ? 'QUEUED' : 'SKIPPED';
  const { configuration, secrets, build_secrets }: RunVersions = wish.runs ?? {
    configuration: deployment.configuration,
    ...secretVersionsOf(deployment),
  };
  return {
    v: REVISION_VERSION,
    entity: 'revision',
    tenant_id: deployment.tenant_id,
    deployment_id: deployment.id,
    id: deployment.latest_revision_id,
    number: deployment.latest_number,
    source: deployment.revision_source,
    status,
    ...(wish.skipped !== undefined && { status_message: wish.skipped }),
    history: [
      { status: 'CREATING', at },
      { status, at },
    ],
    created_at: at,
    updated_at: at,
    created_by: userId,
    ...(actor !== undefined && { made_by: { ...actor, name: actor.name.slice(0, NAME_LENGTH_MAX) } }),
    revision_config: deployment.revision_config,
    configuration,
    ...(secrets !== undefined && { secrets }),
    ...(build_secrets !== undefined && { build_secrets }),
    inherits: wish.inherits,
    ...(wish.artifact !== undefined && { artifact: wish.artifact }),
  };
}

/** The number and id of the revision after the deployment's latest. */
export function nextRevision(
  deps: Pick<Deps, 'clock'>,
  latestNumber: number,
): { number: number; id: string } {
  const number = latestNumber + 1;
  return { number, id: revisionId(deps.clock.orderedId(), number) };
}
