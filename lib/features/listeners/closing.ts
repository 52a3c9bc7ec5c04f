import { isDeepStrictEqual } from 'node:util';
import { ApiError, refuse } from '../../contract/errors.ts';
import type { Deps } from '../../core/deps.ts';
import { rowsOnListener } from '../../core/items/deployment-rows.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import type { Deployment, Listener } from '../../core/items/items.ts';
import { markClosing, unmarkClosing } from '../../core/items/listener-writes.ts';
import { transact } from '../../store/dynamodb/transact.ts';

type ClosingDeps = Pick<Deps, 'table' | 'clock'>;

/**
 * Closes a listener, or these namespaces of it, and makes sure that no deployment uses it. `checkUnused`
 * throws the refusal. It is called once more after the closing, so that no deployment comes in between. Gives
 * the id that what follows depends on: whoever closes or opens it meanwhile takes it away.
 */
export async function closeUnused(
  deps: ClosingDeps,
  { listener, namespaces }: { listener: Listener; namespaces?: string[] },
  checkUnused: () => Promise<void>,
): Promise<string> {
  // Most are refused here: a mark would turn away what is created at this moment.
  await checkUnused();
  const closingId = await close(deps, listener, namespaces);
  try {
    await checkUnused();
    return closingId;
  } catch (error) {
    if (error instanceof ApiError) await transact(deps.table, unmarkClosing(listener, closingId));
    throw error;
  }
}

/**
 * Marks a listener, or these namespaces of it, as closing. A mark that a request left behind when it died
 * refuses new deployments in plain words, until the request is made again and takes it over.
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

/** Deployments are read so many at a time. */
const READS_AT_ONCE = 25;

/** Throws `listener_in_use`. Deployments that are being deleted use it too. */
export async function checkListenerUnused(
  { table }: Pick<Deps, 'table'>,
  { tenant_id: tenantId, id, compute_id: computeId }: Listener,
): Promise<void> {
  const names = new Map<string, string>();
  let deleting = 0;
  for await (const row of rowsOnListener(table, tenantId, id)) {
    if (!names.has(row.sk) && row.status === 'AWAITING_DELETE') deleting += 1;
    names.set(row.sk, row.name);
  }
  const [example] = names;
  if (example === undefined) return;
  const [exampleId, exampleName] = example;
  throw refuse('listener_in_use', { computeId, count: names.size, deleting, exampleId, exampleName });
}

/** Throws `namespace_in_use`. */
export async function checkNamespacesUnused(
  { table }: Pick<Deps, 'table'>,
  { tenant_id: tenantId, id, compute_id: computeId }: Listener,
  namespaces: string[],
): Promise<void> {
  for await (const deployments of chunksOnListener({ table }, tenantId, id)) {
    const user = deployments.find(({ k8s_namespace: own }) => own !== undefined && namespaces.includes(own));
    if (user?.k8s_namespace === undefined) continue;
    const { k8s_namespace: namespace, name: exampleName, id: exampleId } = user;
    throw refuse('namespace_in_use', { namespace, computeId, exampleName, exampleId });
  }
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
