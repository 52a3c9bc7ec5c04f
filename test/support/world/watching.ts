import { create as createHeads } from '../../../functions/schedules/heads.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { write } from '../../../lib/store/dynamodb/write.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { limited } from '../table/limited-table.ts';
import { commitOf, GitHost, push } from './git-host.ts';
import { ended } from './processed.ts';
import { github, post, register, revisions } from './requests.ts';
import { aWorld, type World } from './world.ts';

export const ADDRESS = 'https://git.example/team/app.git';
export const HEAD = `${ADDRESS} main`;

/** A deployment that builds pushes to its branch `main`, whose first revision was deployed from commit 0. */
export async function watching(config: object = {}) {
  const world = await aWorld();
  const host = new GitHost(world);
  host.heads.set(HEAD, commitOf('0'));
  await register(world, 'machine');
  const { id: integrationId } = await host.integrate();
  const make = async (name: string, more: object = {}) => {
    const source_config = {
      repo_url: ADDRESS,
      integration_id: integrationId,
      build_on_push: true,
      ...config,
      ...more,
    };
    const { id } = await post(world, github(name, { source_config }));
    await ended(world, id, 'DEPLOYED', { commit: commitOf('0') });
    return id;
  };
  const id = await make('app');
  const pushed = (delivery: string, commit?: string, more: object = {}) => {
    if (commit !== undefined) host.heads.set(HEAD, commit);
    return push(world, integrationId, delivery, { address: ADDRESS, ...more });
  };
  const heads = createHeads(() => limited(world.deps, functionRows.heads.access));
  return { world, host, integrationId, id, make, pushed, heads };
}

export const statuses = async (world: World, id: string): Promise<string[]> =>
  (await revisions(world, id)).resources.map(({ status }) => status);
export const commits = async (world: World, id: string) =>
  (await revisions(world, id)).resources.map(({ source_revision_config: config }) =>
    config.repo_commit_sha?.slice(0, 1),
  );

/** Stores push_paths that an earlier release would have taken. */
export const storePaths = ({ deps, caller }: World, id: string, push_paths: string[]) =>
  write(
    deps.table,
    update('deployment', deploymentKey(caller.tenantId, id), { set: { 'config.push_paths': push_paths } }),
  );
