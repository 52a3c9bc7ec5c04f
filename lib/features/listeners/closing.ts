import { isDeepStrictEqual } from 'node:util';
import { type ApiError, refuse } from '../../contract/errors.ts';
import type { Deps } from '../../core/deps.ts';
import { rowsOnListener } from '../../core/items/deployment-rows.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import type { Deployment, Listener } from '../../core/items/items.ts';
import { markClosing, unmarkClosing } from '../../core/items/listener-writes.ts';
import { transact } from '../../store/dynamodb/transact.ts';

type ClosingDeps = Pick<Deps, 'table' | 'clock'>;

/**
 * Marks a listener, or these namespaces of it, as closing, so that no deployment can begin to use it while it
 * is read which ones do; a mark for the same that was left behind is taken over. Gives the id that what
 * follows depends on: whoever closes or opens it meanwhile takes it away. A mark that stays because its
 * request died refuses new deployments in plain words, until the request is made again.
 */
export async function close(
  { table, clock }: ClosingDeps,
  listener: Listener,
  namespaces: string[] | undefined,
): Promise<string> {
  const { closing } = listener;
  if (closing !== undefined && isDeepStrictEqual(closing.namespaces, namespaces)) return closing.id;
  const id = clock.randomId();
  const mark = { id, ...(namespaces !== undefined && { namespaces }) };
  await transact(table, markClosing(listener, mark));
  return id;
}

/** Takes the mark away again. */
export const reopen = (
  { table }: Pick<Deps, 'table'>,
  listener: Listener,
  closingId: string,
): Promise<void> => transact(table, unmarkClosing(listener, closingId));

/** Deployments are read so many at a time. */
const READS_AT_ONCE = 25;

/**
 * The refusal to delete a listener that deployments use, those included that are being deleted; undefined
 * when none does.
 */
export async function inUse(
  { table }: Pick<Deps, 'table'>,
  { tenant_id: tenantId, id, compute_id: computeId }: Listener,
): Promise<ApiError | undefined> {
  const names = new Map<string, string>();
  let deleting = 0;
  for await (const row of rowsOnListener(table, tenantId, id)) {
    if (!names.has(row.sk) && row.status === 'AWAITING_DELETE') deleting += 1;
    names.set(row.sk, row.name);
  }
  const [example] = names;
  if (example === undefined) return undefined;
  const [exampleId, exampleName] = example;
  return refuse('listener_in_use', { computeId, count: names.size, deleting, exampleId, exampleName });
}

/**
 * The refusal to take these namespaces from a listener while a deployment is in one of them; undefined when
 * none is.
 */
export async function namespacesInUse(
  { table }: Pick<Deps, 'table'>,
  { tenant_id: tenantId, id, compute_id: computeId }: Listener,
  namespaces: string[],
): Promise<ApiError | undefined> {
  for await (const deployments of chunksOnListener({ table }, tenantId, id)) {
    const user = deployments.find(({ k8s_namespace: own }) => own !== undefined && namespaces.includes(own));
    if (user?.k8s_namespace === undefined) continue;
    const { k8s_namespace: namespace, name: exampleName, id: exampleId } = user;
    return refuse('namespace_in_use', { namespace, computeId, exampleName, exampleId });
  }
  return undefined;
}

async function* chunksOnListener(
  { table }: Pick<Deps, 'table'>,
  tenantId: string,
  listenerId: string,
): AsyncGenerator<Deployment[]> {
  const read = async (ids: string[]): Promise<Deployment[]> =>
    (await Promise.all(ids.map((id) => findDeployment(table, tenantId, id)))).filter(
      (deployment) => deployment !== undefined,
    );
  let ids: string[] = [];
  for await (const row of rowsOnListener(table, tenantId, listenerId)) {
    ids.push(row.sk);
    if (ids.length < READS_AT_ONCE) continue;
    yield await read(ids);
    ids = [];
  }
  yield await read(ids);
}
