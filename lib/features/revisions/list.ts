import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import { isReconciled, revisionViewOf, slotRevisionFor } from '../../core/deployments/views.ts';
import type { Deps } from '../../core/deps.ts';
import { deploymentRefOf, getDeploymentItem } from '../../core/items/deployments.ts';
import type { Deployment, Revision } from '../../core/items/items.ts';
import { endsReader } from '../../core/items/revision-ends.ts';
import { revisionsBetween } from '../../core/items/revisions.ts';
import type { Table } from '../../store/table.ts';
import type { listRevisions as row } from './routes.ts';

type Query = RouteInput<typeof row>['query'];

/**
 * Revisions, newest first. They are numbered, so an unfiltered page costs the same wherever it starts; a
 * filtered one passes over them by notes of how they ended.
 */
export async function listRevisions(
  deps: Pick<Deps, 'table'>,
  { params, query }: Pick<RouteInput<typeof row>, 'params' | 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const deployment = await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id);
  const filtered = [query.status, query.cause, query.remote_reconciled].some((wish) => wish !== undefined);
  const { page, skipped } = filtered
    ? await filteredPage(deps.table, deployment, query)
    : await numberedPage(deps, deployment, query);
  const slotRevision = await slotRevisionFor(deps, deployment, page);
  return {
    resources: page.map((item) => revisionViewOf(item, deployment, slotRevision)),
    offset: skipped + page.length,
  };
}

async function numberedPage(
  { table }: Pick<Deps, 'table'>,
  deployment: Deployment,
  { offset, limit }: Query,
): Promise<{ page: Revision[]; skipped: number }> {
  const newest = deployment.latest_number - offset;
  if (newest < 1) return { page: [], skipped: deployment.latest_number };
  const ref = deploymentRefOf(deployment);
  const page = await collect(revisionsBetween(table, ref, Math.max(1, newest - limit + 1), newest), limit);
  return { page, skipped: offset };
}

async function collect<T>(items: AsyncIterable<T>, countMax: number): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) if (collected.push(item) === countMax) break;
  return collected;
}

/** So many revisions of which only their items tell whether they match are read at a time. */
const UNCERTAIN_A_READ = 25;
/** Reading so many that are not wanted between two that are costs no more than reading twice. */
const UNWANTED_BETWEEN_MAX = 3;

/** `certain`: it matches, or did when the reading began; otherwise only its item tells. */
type Candidate = { number: number; certain: boolean };

/**
 * A page of the revisions that match, newest first, and how many that match were passed over for it. Whole
 * revisions are read for the page alone: how others ended, what is queued and what is active is known without
 * them. One that is in progress is read, and so are those that ended before their ends were noted.
 */
async function filteredPage(
  table: Table,
  deployment: Deployment,
  query: Query,
): Promise<{ page: Revision[]; skipped: number }> {
  const page: Revision[] = [];
  let skipped = 0;
  let batch: Candidate[] = [];
  let uncertain = 0;
  const take = async (): Promise<void> => {
    const needed = batch.filter(({ certain }, index) => !certain || skipped + index >= query.offset);
    const whole = await wholeOf(table, deployment, needed);
    for (const { number, certain } of batch) {
      if (page.length === query.limit) break;
      const item = whole.get(number);
      const counts = certain && skipped < query.offset;
      // What was queued when the reading began may have moved on.
      if (!counts && (item === undefined || !matches(item, deployment, query))) continue;
      if (skipped < query.offset) skipped += 1;
      else if (item !== undefined) page.push(item);
    }
    batch = [];
    uncertain = 0;
  };
  for await (const candidate of candidates(table, deployment, query)) {
    batch.push(candidate);
    if (!candidate.certain) uncertain += 1;
    const missing = query.offset - skipped + query.limit - page.length;
    if (batch.length - uncertain >= missing || uncertain >= UNCERTAIN_A_READ) await take();
    if (page.length === query.limit) break;
  }
  await take();
  return { page, skipped };
}

/** Numbers of the revisions that match or may match, newest first. */
async function* candidates(
  table: Table,
  deployment: Deployment,
  query: Query,
): AsyncGenerator<Candidate, void, undefined> {
  const { status: asked, cause } = query;
  const queued = new Set(deployment.queued);
  const endOf = endsReader(table, deploymentRefOf(deployment));
  for (const number of numbers(deployment, query)) {
    const status = asked && ((await endOf(number)) ?? (queued.has(number) ? 'QUEUED' : undefined));
    // What made it only its item tells.
    const certain = cause === undefined && (asked === undefined || status !== undefined);
    if (asked === undefined || status === undefined || asked.includes(status)) yield { number, certain };
  }
}

/** Of what runs as it should there is one at most. */
function* numbers({ active, latest_number: latest }: Deployment, query: Query): Generator<number> {
  const reconciled = active?.reconciled === true ? active.number : undefined;
  if (query.remote_reconciled === true) {
    if (reconciled !== undefined) yield reconciled;
    return;
  }
  for (let number = latest; number >= 1; number -= 1)
    if (query.remote_reconciled === undefined || number !== reconciled) yield number;
}

function matches(item: Revision, deployment: Deployment, query: Query): boolean {
  return (
    (query.status?.includes(item.status) ?? true) &&
    (query.cause?.includes(item.cause?.kind ?? 'request') ?? true) &&
    (query.remote_reconciled === undefined || query.remote_reconciled === isReconciled(item, deployment))
  );
}

async function wholeOf(
  table: Table,
  { tenant_id: tenantId, id: deploymentId }: Deployment,
  wanted: Candidate[],
): Promise<Map<number, Revision>> {
  const read = async ({ oldest, newest }: Run): Promise<[number, Revision][]> => {
    const items: [number, Revision][] = [];
    for await (const item of revisionsBetween(table, { tenantId, deploymentId }, oldest, newest))
      items.push([item.number, item]);
    return items;
  };
  return new Map((await Promise.all(runsOf(wanted).map(read))).flat());
}

type Run = { newest: number; oldest: number };

/** Numbers, newest first, as the ranges that are read for them. */
function runsOf(wanted: Candidate[]): Run[] {
  const runs: Run[] = [];
  for (const { number } of wanted) {
    const last = runs.at(-1);
    if (last !== undefined && last.oldest - number - 1 <= UNWANTED_BETWEEN_MAX) last.oldest = number;
    else runs.push({ newest: number, oldest: number });
  }
  return runs;
}
