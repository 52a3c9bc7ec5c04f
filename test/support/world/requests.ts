import { createDeployment } from '../../../lib/app/deployments/create.ts';
import { deleteDeployment } from '../../../lib/app/deployments/delete.ts';
import { deleteDeployments } from '../../../lib/app/deployments/delete-many.ts';
import { getDeployment } from '../../../lib/app/deployments/get.ts';
import { listDeployments } from '../../../lib/app/deployments/list.ts';
import { patchDeployment } from '../../../lib/app/deployments/patch.ts';
import { createListener } from '../../../lib/app/listeners/create.ts';
import { deleteListener } from '../../../lib/app/listeners/delete.ts';
import { listListeners } from '../../../lib/app/listeners/list.ts';
import { patchListener } from '../../../lib/app/listeners/patch.ts';
import { createRevision } from '../../../lib/app/revisions/create.ts';
import { getRevision } from '../../../lib/app/revisions/get.ts';
import { interruptRevision } from '../../../lib/app/revisions/interrupt.ts';
import { listRevisions } from '../../../lib/app/revisions/list.ts';
import { redeployRevision } from '../../../lib/app/revisions/redeploy.ts';
import { ApiError, ValidationError, type ValidationItem } from '../../../lib/contract/errors.ts';
import * as deploymentRows from '../../../lib/contract/routes/deployments.ts';
import * as listenerRows from '../../../lib/contract/routes/listeners.ts';
import * as revisionRows from '../../../lib/contract/routes/revisions.ts';
import type { World } from './world.ts';

/** Requests as clients send them, one call each: bodies and queries go through the schemas of their routes. */
type Plane = Pick<World, 'deps' | 'caller'>;
type Query = Record<string, string>;
const plain = { requestId: 'request', baseUrl: 'http://localhost' } as const;

export const github = (name: string, changes: object = {}) => ({
  name,
  source_config: { repo_url: 'https://example.com/repo.git' },
  source_revision_config: {},
  ...changes,
});

export const post = (plane: Plane, body: unknown) =>
  createDeployment(plane.deps, { body: deploymentRows.createDeployment.body.parse(body) }, plane.caller);

export const show = (plane: Plane, id: string) =>
  getDeployment(plane.deps, { params: { deployment_id: id } }, plane.caller);

export const change = (plane: Plane, id: string, body: unknown, ifMatch?: string) =>
  patchDeployment(
    plane.deps,
    {
      params: { deployment_id: id },
      body: deploymentRows.patchDeployment.body.parse(body),
      headers: ifMatch === undefined ? {} : { ifMatch },
    },
    plane.caller,
  );

export const remove = (plane: Plane, id: string, query: Query = {}, ifMatch?: string) =>
  deleteDeployment(
    plane.deps,
    {
      params: { deployment_id: id },
      query: deploymentRows.deleteDeployment.query.parse(query),
      headers: ifMatch === undefined ? {} : { ifMatch },
    },
    plane.caller,
  );

export const removeMany = (plane: Plane, deploymentIds: string) =>
  deleteDeployments(
    plane.deps,
    { query: deploymentRows.deleteDeployments.query.parse({ deployment_ids: deploymentIds }) },
    plane.caller,
  );

export const list = (plane: Plane, query: Query = {}) =>
  listDeployments(plane.deps, { query: deploymentRows.listDeployments.query.parse(query) }, plane.caller);

export const postRevision = (plane: Plane, id: string, body: unknown = {}) =>
  createRevision(
    plane.deps,
    {
      params: { deployment_id: id },
      body: revisionRows.createRevision.body.parse(body),
      headers: {},
    },
    plane.caller,
  );

export const revisions = (plane: Plane, id: string, query: Query = {}) =>
  listRevisions(
    plane.deps,
    { params: { deployment_id: id }, query: revisionRows.listRevisions.query.parse(query) },
    plane.caller,
  );

export const showRevision = (plane: Plane, id: string, revisionId: string) =>
  getRevision(plane.deps, { params: { deployment_id: id, revision_id: revisionId } }, plane.caller);

export const redeploy = (plane: Plane, id: string, revisionId: string, query: Query = {}) =>
  redeployRevision(
    plane.deps,
    {
      ...plain,
      params: { deployment_id: id, revision_id: revisionId },
      query: revisionRows.redeployRevision.query.parse(query),
      headers: {},
    },
    plane.caller,
  );

export const interrupt = (plane: Plane, id: string, revisionId: string) =>
  interruptRevision(plane.deps, { params: { deployment_id: id, revision_id: revisionId } }, plane.caller);

export const register = (plane: Plane, computeId: string, changes: object = {}) =>
  createListener(
    plane.deps,
    {
      body: listenerRows.createListener.body.parse({
        compute_type: 'process',
        compute_id: computeId,
        compute_config: {},
        ...changes,
      }),
    },
    plane.caller,
  );

export const listeners = (plane: Plane, query: Query = {}) =>
  listListeners(plane.deps, { query: listenerRows.listListeners.query.parse(query) }, plane.caller);

export const changeListener = (plane: Plane, id: string, body: unknown) =>
  patchListener(
    plane.deps,
    { params: { listener_id: id }, body: listenerRows.patchListener.body.parse(body) },
    plane.caller,
  );

export const removeListener = (plane: Plane, id: string) =>
  deleteListener(plane.deps, { params: { listener_id: id } }, plane.caller);

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
