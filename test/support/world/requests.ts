import { ApiError, ValidationError, type ValidationItem } from '../../../lib/contract/errors.ts';
import { createDeployment } from '../../../lib/features/deployments/create.ts';
import { createRevision } from '../../../lib/features/deployments/create-revision.ts';
import { deleteDeployment } from '../../../lib/features/deployments/delete.ts';
import { deleteDeployments } from '../../../lib/features/deployments/delete-many.ts';
import { getDeployment } from '../../../lib/features/deployments/get.ts';
import { listDeployments } from '../../../lib/features/deployments/list.ts';
import { patchDeployment } from '../../../lib/features/deployments/patch.ts';
import { redeployRevision } from '../../../lib/features/deployments/redeploy.ts';
import * as deploymentRows from '../../../lib/features/deployments/routes.ts';
import { createListener } from '../../../lib/features/listeners/create.ts';
import { deleteListener } from '../../../lib/features/listeners/delete.ts';
import { listListeners } from '../../../lib/features/listeners/list.ts';
import { patchListener } from '../../../lib/features/listeners/patch.ts';
import * as listenerRows from '../../../lib/features/listeners/routes.ts';
import { getRevision } from '../../../lib/features/revisions/get.ts';
import { interruptRevision } from '../../../lib/features/revisions/interrupt.ts';
import { listRevisions } from '../../../lib/features/revisions/list.ts';
import * as revisionRows from '../../../lib/features/revisions/routes.ts';
import type { World } from './world.ts';

/**
 * Requests as clients send them, one call each: bodies and queries go through the schemas of their routes.
 */
type Asking = Pick<World, 'deps' | 'caller'>;
type Query = Record<string, string>;
const plain = { requestId: 'request', baseUrl: 'http://localhost' } as const;

export const github = (name: string, changes: object = {}) => ({
  name,
  source_config: { repo_url: 'https://example.com/repo.git' },
  source_revision_config: {},
  ...changes,
});

export const post = (world: Asking, body: unknown) =>
  createDeployment(world.deps, { body: deploymentRows.createDeployment.body.parse(body) }, world.caller);

export const show = (world: Asking, id: string) =>
  getDeployment(world.deps, { params: { deployment_id: id } }, world.caller);

export const change = (world: Asking, id: string, body: unknown, ifMatch?: string) =>
  patchDeployment(
    world.deps,
    {
      params: { deployment_id: id },
      body: deploymentRows.patchDeployment.body.parse(body),
      headers: ifMatch === undefined ? {} : { ifMatch },
    },
    world.caller,
  );

export const remove = (world: Asking, id: string, query: Query = {}, ifMatch?: string) =>
  deleteDeployment(
    world.deps,
    {
      params: { deployment_id: id },
      query: deploymentRows.deleteDeployment.query.parse(query),
      headers: ifMatch === undefined ? {} : { ifMatch },
    },
    world.caller,
  );

export const removeMany = (world: Asking, deploymentIds: string) =>
  deleteDeployments(
    world.deps,
    { query: deploymentRows.deleteDeployments.query.parse({ deployment_ids: deploymentIds }) },
    world.caller,
  );

export const list = (world: Asking, query: Query = {}) =>
  listDeployments(world.deps, { query: deploymentRows.listDeployments.query.parse(query) }, world.caller);

export const postRevision = (world: Asking, id: string, body: unknown = {}) =>
  createRevision(
    world.deps,
    {
      params: { deployment_id: id },
      body: revisionRows.createRevision.body.parse(body),
      headers: {},
    },
    world.caller,
  );

export const revisions = (world: Asking, id: string, query: Query = {}) =>
  listRevisions(
    world.deps,
    { params: { deployment_id: id }, query: revisionRows.listRevisions.query.parse(query) },
    world.caller,
  );

export const showRevision = (world: Asking, id: string, revisionId: string, query: Query = {}) =>
  getRevision(
    world.deps,
    {
      params: { deployment_id: id, revision_id: revisionId },
      query: revisionRows.getRevision.query.parse(query),
    },
    world.caller,
  );

export const redeploy = (
  world: Asking,
  id: string,
  revisionId: string,
  query: Query = {},
  body: object = {},
) =>
  redeployRevision(
    world.deps,
    {
      ...plain,
      params: { deployment_id: id, revision_id: revisionId },
      query: revisionRows.redeployRevision.query.parse(query),
      body: revisionRows.redeployRevision.body.parse(body),
      headers: {},
    },
    world.caller,
  );

export const interrupt = (world: Asking, id: string, revisionId: string) =>
  interruptRevision(world.deps, { params: { deployment_id: id, revision_id: revisionId } }, world.caller);

export const register = (world: Asking, computeId: string, changes: object = {}) =>
  createListener(
    world.deps,
    {
      body: listenerRows.createListener.body.parse({
        compute_type: 'process',
        compute_id: computeId,
        compute_config: {},
        ...changes,
      }),
    },
    world.caller,
  );

export const listeners = (world: Asking, query: Query = {}) =>
  listListeners(world.deps, { query: listenerRows.listListeners.query.parse(query) }, world.caller);

export const changeListener = (world: Asking, id: string, body: unknown) =>
  patchListener(
    world.deps,
    { params: { listener_id: id }, body: listenerRows.patchListener.body.parse(body) },
    world.caller,
  );

export const removeListener = (world: Asking, id: string) =>
  deleteListener(world.deps, { params: { listener_id: id } }, world.caller);

/** What a refused request is answered: the status and the text (for 422 the items). */
export type Refusal = { status: number; detail: string | ValidationItem[]; headers?: Record<string, string> };

export async function refusal(request: Promise<unknown>): Promise<Refusal> {
  try {
    const answer = await request;
    throw new Error(`not refused: ${JSON.stringify(answer)}`);
  } catch (error) {
    if (error instanceof ApiError) {
      return { status: error.status, detail: error.message, headers: error.headers };
    }
    if (error instanceof ValidationError) return { status: 422, detail: error.items };
    throw error;
  }
}

/** Status and text in one line, for tables of cases. */
export async function refusedWith(request: Promise<unknown>): Promise<string> {
  const { status, detail } = await refusal(request);
  return `${status} ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`;
}
