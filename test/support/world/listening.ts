import { offerTask } from '../../../lib/app/engine/deploys.ts';
import { load } from '../../../lib/app/engine/situation.ts';
import { claimTasks } from '../../../lib/app/listener-protocol/claim.ts';
import { COMMIT, inProgress } from './processed.ts';
import { github, post, register } from './requests.ts';
import { aWorld, type World } from './world.ts';

/** What the revisions that are offered here run. */
export const artifact = {
  kind: 'folder',
  key: 'builds/one.tar',
  sha256: 'a'.repeat(64),
  sizeBytes: 10,
} as const;

export type Listening = { plane: World; listenerId: string };

/** A control plane with one listener. */
export async function listening(): Promise<Listening> {
  const plane = await aWorld();
  return { plane, listenerId: (await register(plane, 'machine')).id };
}

/** A deployment whose first revision is offered to the listener. */
export async function offered(
  { plane }: Listening,
  name: string,
  secrets: object[] = [],
  changes: object = {},
) {
  const { id } = await post(plane, github(name, { secrets, ...changes }));
  const { id: revisionId } = await inProgress(plane, id, 'AWAITING_DEPLOY', { artifact, commit: COMMIT });
  const loaded = await load(plane.deps, { tenantId: plane.caller.tenantId, deploymentId: id });
  if (loaded === undefined) throw new Error('no deployment');
  await offerTask(plane.deps, loaded);
  return { id, revisionId };
}

/** As our listener asks; nothing waits here, as on AWS. */
export const claim = (
  { plane, listenerId }: Listening,
  max = 10,
  instance_id = 'one',
  holding: string[] = [],
) =>
  claimTasks(
    plane.deps,
    { params: { listener_id: listenerId }, body: { instance_id, max, holding, wait_seconds: 20 } },
    plane.caller,
  );
