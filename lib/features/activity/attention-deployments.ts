import type { Deps } from '../../core/deps.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import { type FeedEvent, feedNewestFirst } from '../../core/items/feed.ts';
import { findHealth } from '../../core/items/health.ts';
import type { Deployment, DeploymentRow } from '../../core/items/items.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { numberOf } from '../../domain/revision-id.ts';
import { firstSentence } from './first-sentence.ts';
import type { AttentionEntry } from './shape.ts';

type ReadDeps = Pick<Deps, 'table' | 'clock'>;
type Event = FeedEvent['event'];
type OfDeployment = Extract<Event, { deployment_id: string }>;

/** So many of the newest events are looked through, and so many deployments are read for what they say. */
const EVENTS_MAX = 1000;
const EVENTS_AT_ONCE = 250;
const DEPLOYMENTS_MAX = 50;

const MINUTE_MILLISECONDS = 60_000;
/** A server that stopped so often within this time restarts again and again. */
const LOOP_MINUTES = 30;
const LOOP_STOPS = 3;

/** What the newest events say of a deployment. `stops`: when its servers stopped of late, the newest first. */
type News = { newest: OfDeployment | undefined; stops: OfDeployment[] };

/** Revisions that failed, and servers that are unhealthy or keep restarting; `isSilent`: nothing is known. */
export async function failingDeployments(
  deps: ReadDeps,
  tenantId: string,
  rows: readonly DeploymentRow[],
  isSilent: (row: DeploymentRow) => boolean,
): Promise<AttentionEntry[]> {
  const news = await newsOf(deps, tenantId, new Set(rows.map(({ sk }) => sk)));
  const failed = rows.flatMap((row) => {
    const event = news.get(row.sk)?.newest;
    return event !== undefined && isFailure(event) ? [{ row, event }] : [];
  });
  const unwell = rows.filter(
    (row) =>
      !isSilent(row) && (row.health !== undefined || (news.get(row.sk)?.stops.length ?? 0) >= LOOP_STOPS),
  );
  const found = await Promise.all([
    ...failed.slice(0, DEPLOYMENTS_MAX).map(({ row, event }) => failure(deps, tenantId, row, event)),
    ...unwell.slice(0, DEPLOYMENTS_MAX).map((row) => trouble(deps, tenantId, row, news.get(row.sk))),
  ]);
  return found.filter((entry) => entry !== undefined);
}

const FAILURES: Partial<Record<string, string>> = {
  CREATE_FAILED: 'could not be built',
  BUILD_FAILED: 'failed to build',
  DEPLOY_FAILED: 'failed to start',
};

const isFailure = (event: Event): boolean =>
  event.type === 'revision.status_changed' && FAILURES[event.status ?? ''] !== undefined;

/** What the newest events say of these deployments; what was told longer ago than they reach is not known. */
async function newsOf(
  { table, clock }: ReadDeps,
  tenantId: string,
  ids: ReadonlySet<string>,
): Promise<Map<string, News>> {
  const loopSince = clock.now() - LOOP_MINUTES * MINUTE_MILLISECONDS;
  const news = new Map<string, News>();
  let count = 0;
  let decided = 0;
  for await (const { event } of feedNewestFirst(table, tenantId, EVENTS_AT_ONCE)) {
    // Those that are gone decide nothing.
    if ('deployment_id' in event && ids.has(event.deployment_id)) {
      const of = news.get(event.deployment_id) ?? { newest: undefined, stops: [] };
      news.set(event.deployment_id, of);
      if (event.type === 'revision.status_changed' && of.newest === undefined) {
        of.newest = event;
        decided += 1;
      }
      const isStop = event.type === 'deployment.health_changed' && event.healthy === false;
      if (isStop && Date.parse(event.at) >= loopSince) of.stops.push(event);
    }
    count += 1;
    // Nothing older could say more of any of them.
    if (count === EVENTS_MAX || (decided >= ids.size && Date.parse(event.at) < loopSince)) break;
  }
  return news;
}

const named = ({ sk, name }: DeploymentRow) => ({ id: sk, name });

async function failure(
  { table }: ReadDeps,
  tenantId: string,
  row: DeploymentRow,
  event: Event,
): Promise<AttentionEntry | undefined> {
  if (event.type !== 'revision.status_changed' || event.revision_id === undefined) return undefined;
  const number = numberOf(event.revision_id);
  const [deployment, revision] = await Promise.all([
    findDeployment(table, tenantId, row.sk),
    findRevisionByNumber(table, { tenantId, deploymentId: row.sk }, number),
  ]);
  // A newer one is on its way, or the deployment has just gone.
  if (revision === undefined || deployment?.latest_revision_id !== revision.id) return undefined;
  if (revision.status !== event.status) return undefined;
  const why = revision.status_message === undefined ? '' : firstSentence(revision.status_message);
  return {
    kind: 'deployment_failed',
    since: event.at,
    deployment: named(row),
    revision: { id: revision.id, number },
    subject: null,
    says: `${row.name}: revision ${number} ${FAILURES[event.status ?? '']}`,
    effect: [...(why === '' ? [] : [`${why}.`]), servesStill(deployment)].join(' '),
    ends_at: null,
  };
}

const servesStill = ({ active }: Deployment): string =>
  active === undefined ? 'Nothing serves yet.' : `Revision ${active.number} still serves.`;

/** What listeners say of a server that ended by itself. */
const ENDED = /\b(?:exited|killed|ended|crash|restart|out of memory|oom)/i;

async function trouble(
  { table }: ReadDeps,
  tenantId: string,
  row: DeploymentRow,
  news: News | undefined,
): Promise<AttentionEntry | undefined> {
  const [deployment, health] = await Promise.all([
    findDeployment(table, tenantId, row.sk),
    findHealth(table, tenantId, row.sk),
  ]);
  const active = deployment?.active;
  if (active === undefined) return undefined;
  // A newer revision may be what has mended it.
  const own = news?.stops.filter(({ revision_id: id }) => id === active.revision_id) ?? [];
  const [stopped] = own;
  const stops = own.length;
  if (active.healthy && stops < LOOP_STOPS) return undefined;
  const reason = active.reason ?? stopped?.reason ?? health?.reason;
  const isLoop = stops >= LOOP_STOPS || (reason !== undefined && ENDED.test(reason));
  const often = stops >= LOOP_STOPS ? `It stopped ${stops} times in ${LOOP_MINUTES} minutes. ` : '';
  return {
    kind: isLoop ? 'crash_loop' : 'unhealthy',
    since: (active.healthy ? stopped?.at : undefined) ?? health?.at ?? deployment?.updated_at ?? '',
    deployment: named(row),
    revision: { id: active.revision_id, number: active.number },
    subject: null,
    says: `${row.name} ${isLoop ? 'keeps restarting' : 'is unhealthy'}`,
    effect: `${often}${reasonOf(reason)}`,
    ends_at: null,
  };
}

function reasonOf(reason: string | undefined): string {
  if (reason === undefined || reason === '') return 'Its listener does not report that it runs.';
  const said = firstSentence(reason);
  return `${said.slice(0, 1).toUpperCase()}${said.slice(1)}.`;
}
