import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { create as createHeads } from '../../functions/schedules/heads.ts';
import { create as createRevocations } from '../../functions/schedules/revocations.ts';
import { createTableLogs } from '../../lib/adapters/aws/logs.ts';
import { functionRows } from '../../lib/contract/functions.ts';
import { hashOf } from '../../lib/core/identity/api-key.ts';
import { authenticateCaller } from '../../lib/core/identity/authenticate.ts';
import { issueApiKey } from '../../lib/core/identity/issue-api-key.ts';
import { hourOf } from '../../lib/core/identity/key-uses.ts';
import { openTaskPage } from '../../lib/core/items/tasks.ts';
import { documentClient } from '../../lib/embedded/dynoxide/client.ts';
import { fits } from '../../lib/embedded/stream/consumer.ts';
import { noteKeyUse } from '../../lib/features/api-keys/note-use.ts';
import { getDesired } from '../../lib/features/listener-protocol/desired.ts';
import { reportStatus } from '../../lib/features/listener-protocol/status.ts';
import { ingestBuildLog } from '../../lib/features/logs/ingest.ts';
import { queryBuildLogs } from '../../lib/features/logs/query.ts';
import { dispatchFilters } from '../../lib/store/stream-filters.ts';
import type { Counts } from '../bench/counts.ts';
import type { ScheduleName } from '../bench/schedules.ts';
import { type Units, unitsOf, watchConsumed } from '../support/table/consumed.ts';
import { dynamoDbEndpoint } from '../support/table/dynoxide.ts';
import { limited } from '../support/table/limited-table.ts';
import { isWrite, lonelyTransactions } from '../support/table/writes.ts';
import { until } from '../support/until.ts';
import { claimWith } from '../support/world/counting.ts';
import { measureEvents } from '../support/world/event-costs.ts';
import { claim, complete, heartbeat } from '../support/world/listening.ts';
import { change, github, post, show, showRevision } from '../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../support/world/running-world.ts';
import * as steps from '../support/world/steps.ts';
import { buildStarted } from '../support/world/steps.ts';
import { allItems } from '../support/world/world.ts';

type OfRevision = Pick<
  Counts,
  'transitions' | 'tasks' | 'heard' | 'followed' | 'told' | 'revision' | 'keptBytes'
> & { revisionId: string };

/** The same world through another client, for looking on without being counted. */
function onlooker(world: RunningWorld): RunningWorld {
  const table = { client: documentClient(dynamoDbEndpoint()), name: world.deps.table.name };
  return { ...world, deps: { ...world.deps, table } };
}

/** DynamoDB adds so much to the names and values of an item. */
const ITEM_BYTES = 100;

/**
 * What the table holds, in bytes; JSON's quotes are counted too, so that it is at most that. The feed's
 * events are counted apart, for they expire.
 */
async function storedBytes({ deps }: RunningWorld): Promise<number> {
  const items = (await allItems(deps.table)).filter(({ entity }) => entity !== 'feed_event');
  return items.reduce((bytes, item) => bytes + JSON.stringify(item).length + ITEM_BYTES, 0);
}

/** A revision that is built and deployed goes through so many. */
const STATUSES = 7;

/** What is charged as a transition: each state, the start and the end. */
const COUNTED = /^(?:StateEntered|ExecutionStarted|ExecutionSucceeded)$/;

const OF_DEPLOYMENT = '"sk":"A"';
/** The second consumer hears of these; dispatch of some. */
const OF_REVISION = '"sk":"R#';

async function hasOffer({ deps, caller, listenerId }: RunningWorld): Promise<boolean> {
  const { items } = await openTaskPage(deps.table, caller.tenantId, listenerId);
  return items.some(({ state }) => state === 'offered');
}

/**
 * A change of a deployed deployment, to DEPLOYED again: the request, and every state, stream record, event
 * and listener's call of it.
 */
async function measureRevision(world: RunningWorld, id: string): Promise<OfRevision> {
  const watching = onlooker(world);
  const revision: Units = { reads: 0, writes: 0 };
  const wasRecorded = world.records().length;
  const wasStored = await storedBytes(watching);
  let ofDeploymentAlone = 0;
  /** Transactions that change the revision, in their order; whether the deployment with it. */
  const ofRevision: boolean[] = [];
  const stop = watchConsumed(world.deps.table.client, ({ reads, writes }, { name, input }) => {
    revision.reads += reads;
    revision.writes += writes;
    if (!isWrite(name)) return;
    const written = JSON.stringify(input);
    const isOfDeployment = written.includes(OF_DEPLOYMENT);
    if (written.includes(OF_REVISION)) ofRevision.push(isOfDeployment);
    else if (isOfDeployment) ofDeploymentAlone += 1;
  });
  const { latest_revision_id: revisionId } = await change(world, id, {
    source_revision_config: { repo_ref: 'next' },
  });
  await buildStarted(world, revisionId);
  await world.deps.builds.succeed(revisionId);
  await until(() => hasOffer(watching), { what: 'the offer' });
  const task = await steps.claimed(world);
  for (const phase of [undefined, undefined, 'switching'] as const) await heartbeat(world, task, phase);
  await complete(world, task, 'succeeded', { url: 'http://localhost:4401/d/it' });
  await steps.reaches(watching, id, revisionId, 'DEPLOYED');
  const history = await until(
    () => {
      const events = world.deps.workflow.history(`${revisionId}-1`);
      return events.some(({ type }) => type === 'ExecutionSucceeded') && events;
    },
    { what: 'the end of the execution' },
  );
  const told = await until(
    () => {
      // Of this revision alone: what was told of the one before it may only come now.
      const count = world.deps.events.published().filter((event) => event.revision_id === revisionId).length;
      return count >= STATUSES && count;
    },
    { what: 'its events' },
  );
  stop();
  const keptBytes = (await storedBytes(watching)) - wasStored;
  watching.deps.table.client.destroy();
  const changes = world
    .records()
    .slice(wasRecorded)
    .filter(({ dynamodb }) => dynamodb?.NewImage?.id?.S === revisionId);
  expect(changes).toHaveLength(ofRevision.length);
  const heard = changes.filter((record, index) => ofRevision[index] || fits(record, dispatchFilters));
  return {
    transitions: history.filter(({ type }) => COUNTED.test(type)).length,
    tasks: history.filter(({ type, state }) => type === 'StateEntered' && state !== 'Route').length,
    heard: ofDeploymentAlone + heard.length,
    followed: ofRevision.length,
    told,
    revision,
    keptBytes,
    revisionId,
  };
}

/** A run of each schedule that finds nothing to do. */
async function measureSchedules(world: RunningWorld): Promise<Counts['schedules']> {
  const revocations = createRevocations(() => limited(world.deps, functionRows.revocations.access));
  const heads = createHeads(() => limited(world.deps, functionRows.heads.access));
  const runs: Record<ScheduleName, () => Promise<{ looked: number }>> = {
    sweep: () => world.sweep(),
    revocations: () => revocations({}),
    heads: () => heads({}),
  };
  await runs.sweep();
  const idle = (run: () => Promise<{ looked: number }>) =>
    unitsOf(world.deps.table.client, async () => expect((await run()).looked).toBe(0));
  return {
    sweep: await idle(runs.sweep),
    revocations: await idle(runs.revocations),
    heads: await idle(runs.heads),
  };
}

/** Sweep's last look at what has ended, after it was told that the listener is silent. */
async function measureLastLook(world: RunningWorld): Promise<Units> {
  world.advance(400);
  await world.sweep();
  world.advance(3600);
  return unitsOf(world.deps.table.client, async () =>
    expect(await world.sweep()).toEqual({ looked: 1, left: 0 }),
  );
}

/** A sweep's look at the one listener, which has just called. */
async function measurePresence(world: RunningWorld): Promise<Units> {
  await claim(world);
  await world.sweep();
  world.advance(301);
  await claim(world);
  return unitsOf(world.deps.table.client, () => world.sweep());
}

/** What reports of ten deployments add to a claim when they say the same again. */
async function measureKnownReports(world: RunningWorld, deployment_id: string, revision_id: string) {
  const report = { deployment_id, revision_id, epoch: 9, healthy: true };
  const reports = Array.from({ length: 10 }, () => report);
  const units = (said: { reports?: object[] }) =>
    unitsOf(world.deps.table.client, async () =>
      expect((await claimWith(world, said)).reported).toBe(said.reports?.length),
    );
  for (let time = 0; time < 2; time++) await units({ reports });
  const [without, withThem] = [await units({}), await units({ reports })];
  return { reads: withThem.reads - without.reads, writes: withThem.writes - without.writes };
}

/** Single requests as clients and listeners make them over and over, while nothing else happens. */
async function measureRequests(world: RunningWorld, deploymentId: string, revisionId: string) {
  const { caller, listenerId } = world;
  const deps = { ...world.deps, logs: createTableLogs(world.deps.table, world.deps.clock) };
  const { tenantId, organizationId, userId } = caller;
  const wish = { tenantId, organizationId, userId, role: 'admin', name: 'measured' } as const;
  const apiKey = await issueApiKey(deps, wish);
  const identify = () => authenticateCaller(deps, { apiKey, tenantId: undefined });
  const units = (work: () => Promise<unknown>) => unitsOf(deps.table.client, work);
  const asked = (work: () => Promise<unknown>) => units(async () => [await identify(), await work()]);
  const params = { deployment_id: deploymentId, revision_id: revisionId };
  const listener = { listener_id: listenerId };
  const pieces = Array.from({ length: 20 }, (_, n) => ({
    timestamp: Date.now() + n,
    message: `#12 ${n}.4 added 61 packages in 3s`,
  }));
  const ingest = await units(() => ingestBuildLog(deps, { tenantId, deploymentId, revisionId }, pieces));
  const body = { order: 'asc', limit: 50 } as const;
  const page = await queryBuildLogs(deps, { params, body }, caller);
  expect(page.logs).toHaveLength(pieces.length);
  const following = { ...body, offset: page.next_offset ?? '' };
  world.advance(30);
  const claimNoting = await asked(() => claim(world));
  const knownReports = await measureKnownReports(world, deploymentId, revisionId);
  return {
    ingest,
    claimNoting,
    knownReports,
    claim: await asked(() => claim(world)),
    key: await units(identify),
    getDeployment: await asked(() => show(world, deploymentId)),
    getRevision: await asked(() => showRevision(world, deploymentId, revisionId)),
    buildLogs: await asked(() => queryBuildLogs(deps, { params, body: following }, caller)),
    desired: await asked(() => getDesired(deps, { params: listener }, caller)),
    status: await asked(() => reportStatus(deps, { params: listener, body: { reports: [] } }, caller)),
    keyUse: await units(() => noteKeyUse(deps, { keyHash: hashOf(apiKey), hour: hourOf(deps.clock.now()) })),
    schedules: await measureSchedules(world),

    lastLook: await measureLastLook(world),
    presence: await measurePresence(world),
    ...(await measureEvents(world, deploymentId)),
  };
}

it('a built revision, and what clients and listeners ask over and over, cost no more than they did', async () => {
  const world = await aRunningWorld();
  const { id, latest_revision_id: first } = await post(world, github('app'));
  await steps.deploy(world, id, first);
  const lonely = lonelyTransactions(world.deps.table.client);
  const { revisionId, ...ofRevision } = await measureRevision(world, id);
  // What dispatch still looks at would be counted with the requests.
  await world.loseStream();
  const counts: Counts = { ...ofRevision, ...(await measureRequests(world, id, revisionId)) };
  const { transitions, tasks, heard, followed, told, revision, keptBytes, ...requests } = counts;
  expect(lonely).toEqual([]);
  expect(transitions).toBeLessThanOrEqual(8);
  expect(tasks).toBe(4);
  expect(heard).toBeLessThanOrEqual(7);
  expect(followed).toBeLessThanOrEqual(14);
  expect(told).toBe(STATUSES);
  // How often dispatch looks depends on how records come together, so reads have some room.
  expect(revision.reads).toBeLessThanOrEqual(82);
  // Some forty of them tell its statuses, number them and keep them in the feed, two note how it ended, four
  // count what should run, and its build takes a place among its tenant's; 139 is usual, and each race that
  // is lost costs up to two more. Four are there because what a deployment runs in has brought this one over
  // 1 KiB, as most are anyway: its item is written twice in transactions, and they count each KiB twice.
  expect(revision.writes).toBeLessThanOrEqual(142);
  expect(keptBytes).toBeGreaterThan(0);
  expect(requests).toEqual({
    key: { reads: 1, writes: 0 },
    getDeployment: { reads: 2, writes: 0 },
    getRevision: { reads: 3, writes: 0 },
    buildLogs: { reads: 3, writes: 0 },
    desired: { reads: 3, writes: 0 },
    status: { reads: 3, writes: 0 },
    claim: { reads: 4, writes: 0 },
    claimNoting: { reads: 4, writes: 1 },
    knownReports: { reads: 1, writes: 0 },
    ingest: { reads: 2, writes: 4 },
    keyUse: { reads: 1, writes: 4 },
    schedules: {
      sweep: { reads: 4, writes: 0 },
      revocations: { reads: 0.5, writes: 0 },
      heads: { reads: 0.5, writes: 0 },
    },
    lastLook: { reads: 9, writes: 8 },
    presence: { reads: 6, writes: 5 },
    fed: { reads: 0, writes: 6 },
    delivered: { reads: 6, writes: 16 },
    webhookLook: { reads: 4, writes: 6 },
  });
  const { COUNTS_FILE: file } = process.env;
  if (file !== undefined) await writeFile(file, JSON.stringify(counts));
});
