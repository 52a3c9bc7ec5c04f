import { type MinuteCounts, RESTART_REASONS_MAX } from '../../contract/deployments/counts.ts';
import { mergeAll } from '../../domain/metrics/merge.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import type { MeasuredRevision } from '../../listener/counts/measured.ts';
import type { Usage } from '../../processes/table/source.ts';
import { usagesOf } from '../../processes/table/usage.ts';
import { type RunTotals, runsAt } from './internal-calls.ts';
import type { ProxiedRoute } from './proxied-route.ts';
import type { Counted } from './proxy-counts.ts';
import { DID_NOT_START, memoryKills, restartReasonOf } from './restart-reason.ts';
import { runsSince } from './runs-since.ts';
import type { Server } from './server.ts';

/** Restarts for whose reason there is no room. */
const OTHER = 'other';

type Serving = { id: string; wantedRevisionId: string | undefined; route: Pick<ProxiedRoute, 'name'> };

type Ids = { deploymentId: string; revisionId: string };

/** A server, with what it had used and done when it was looked at last. */
type Watched = { server: Server; cpuSeconds: number; runs: RunTotals | undefined };

type Measured = Ids & {
  /** What its requests are counted as. */
  traffic: string;
  servers: Set<Watched>;
  /** How often servers were started again, by the reason. */
  restarts: Map<string, number>;
};

/** What is measured on this machine: requests at the proxy, servers by the table of processes. */
export class Measures {
  readonly #revisions = new Map<string, Measured>();
  #takenAt = performance.now();
  #memoryKills = memoryKills();

  /** What the requests of a revision are counted as. */
  trafficOf(deploymentId: string, revisionId: string): string {
    return this.#of({ deploymentId, revisionId }).traffic;
  }

  /** A server is ready; it is measured until it has ended. One that was only tried serves nobody. */
  watch({ deployment_id: deploymentId, revision_id: revisionId }: DeploySpec, server: Server): void {
    if (server.isTrial) return;
    const { traffic, servers } = this.#of({ deploymentId, revisionId });
    server.target.traffic = traffic;
    const watched = { server, cpuSeconds: 0, runs: undefined };
    servers.add(watched);
    void server.group.exited.then(() => servers.delete(watched));
  }

  /** A server has ended and is started again; none: it could not be started and is tried again. */
  restarted(deploymentId: string, revisionId: string, server: Server | undefined): void {
    const { restarts } = this.#of({ deploymentId, revisionId });
    const reason =
      server === undefined
        ? DID_NOT_START
        : restartReasonOf(server.group.exit, server.tail, this.#memoryKills);
    const hasRoom = restarts.has(reason) || restarts.size < RESTART_REASONS_MAX - 1;
    const name = hasRoom ? reason : OTHER;
    restarts.set(name, (restarts.get(name) ?? 0) + 1);
  }

  /**
   * What happened since it was taken last. `counted`: what the proxy has counted since. `deployments`: all of
   * them, with what shall serve.
   */
  async take(
    counted: ReadonlyMap<string, Counted>,
    deployments: readonly Serving[],
  ): Promise<MeasuredRevision[]> {
    const wanted = new Map(deployments.map(({ id, wantedRevisionId }) => [id, wantedRevisionId]));
    const names = new Map(deployments.map(({ id, route }) => [id, route.name]));
    for (const [deploymentId, revisionId] of wanted)
      if (revisionId !== undefined) this.#of({ deploymentId, revisionId });
    const revisions = [...this.#revisions.values()];
    const told = revisions.map((each) => countedOf(each, counted.get(each.traffic)));
    const used = this.#usages(revisions);
    this.#memoryKills = memoryKills();
    const runs = await Promise.all(revisions.map((each) => runsOf(each)));
    this.#forget(wanted, counted);
    return revisions.map((each, index) => ({
      deploymentId: each.deploymentId,
      // One that was just removed has none any more.
      deploymentName: names.get(each.deploymentId) ?? each.deploymentId,
      revisionId: each.revisionId,
      counts: {
        ...told[index],
        servers_wanted: wanted.get(each.deploymentId) === each.revisionId ? 1 : 0,
        servers_ready: each.servers.size,
        ...used[index],
        ...runs[index],
      },
    }));
  }

  #of({ deploymentId, revisionId }: Ids): Measured {
    const key = `${deploymentId}/${revisionId}`;
    const known = this.#revisions.get(key);
    if (known !== undefined) return known;
    const made = {
      deploymentId,
      revisionId,
      traffic: key,
      servers: new Set<Watched>(),
      restarts: new Map<string, number>(),
    };
    this.#revisions.set(key, made);
    return made;
  }

  /** What each revision's servers used, on average, since they were looked at last. */
  #usages(revisions: readonly Measured[]): Pick<MinuteCounts, 'cpu_cores' | 'memory_bytes'>[] {
    const now = performance.now();
    const seconds = (now - this.#takenAt) / 1000;
    this.#takenAt = now;
    const all = revisions.flatMap(({ servers }) => [...servers]);
    const usages = usagesOf(all.map(({ server }) => server.group));
    const byServer = new Map(all.map((watched, index) => [watched, usages[index]]));
    return revisions.map(({ servers }) => usageOf(servers, byServer, seconds));
  }

  #forget(wanted: ReadonlyMap<string, string | undefined>, counted: ReadonlyMap<string, Counted>): void {
    for (const [key, { deploymentId, revisionId, traffic, servers, restarts }] of this.#revisions) {
      const isGone = servers.size === 0 && restarts.size === 0 && (counted.get(traffic)?.isIdle ?? true);
      if (isGone && wanted.get(deploymentId) !== revisionId) this.#revisions.delete(key);
    }
  }
}

/** A revision that nobody has asked. */
const NOTHING: MinuteCounts = { requests: { all: 0 }, bytes_in: 0, bytes_out: 0, streams: 0, in_flight: 0 };

function countedOf({ restarts }: Measured, { counts = NOTHING }: Partial<Counted> = {}): MinuteCounts {
  const told = [...restarts].map(([reason, count]) => ({ reason, count }));
  restarts.clear();
  return { ...counts, restarts: told };
}

/** What servers use together; nothing is told while one of them cannot be read, for it is not nothing. */
function usageOf(
  servers: ReadonlySet<Watched>,
  byServer: ReadonlyMap<Watched, Usage | undefined>,
  seconds: number,
): Pick<MinuteCounts, 'cpu_cores' | 'memory_bytes'> {
  let cpu = 0;
  let memory = 0;
  for (const watched of servers) {
    const usage = byServer.get(watched);
    if (usage === undefined) return {};
    // Those of its processes that have ended count no longer.
    cpu += Math.max(0, usage.cpuSeconds - watched.cpuSeconds);
    memory += usage.memoryBytes;
    watched.cpuSeconds = usage.cpuSeconds;
  }
  return { cpu_cores: rounded(cpu / Math.max(seconds, 1)), memory_bytes: Math.round(memory) };
}

const rounded = (cores: number): number => Math.round(cores * 1000) / 1000;

/** The runs of a revision's servers, where they tell. */
async function runsOf({ servers }: Measured): Promise<Pick<MinuteCounts, 'runs'>> {
  const told = await Promise.all([...servers].map(newRunsOf));
  return mergeAll(told, 'revisions') ?? {};
}

async function newRunsOf(watched: Watched): Promise<Pick<MinuteCounts, 'runs'>> {
  if (watched.server.internalToken === undefined) return {};
  // One that does not answer now tells it all the next time.
  const totals = await runsAt(watched.server).catch(() => undefined);
  if (totals === undefined) return {};
  const runs = runsSince(watched.runs, totals);
  watched.runs = totals;
  return { runs };
}
