import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import {
  type ExpiredThreads,
  expiredThreads,
  THREAD_ROWS_MAX,
  type ThreadCounts,
} from '../../contract/deployments/threads.ts';
import type { LogLevel } from '../../contract/log-level.ts';
import { releaseRuleOf } from '../../domain/release-check.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { writeFileAtomicSync } from '../../processes/atomic-file.ts';
import { type Demands, expireAt, lossAt, releaseAt } from './internal-calls.ts';
import type { KeptBuild } from './kept-builds.ts';
import type { Server } from './server.ts';

/** How long a build is kept at most for threads that wait in it, where the deployment does not say. */
const DAYS = 30;
const DAY_MILLISECONDS = 86_400_000;
/** Counts that change are told no more often. */
const TOLD_MILLISECONDS = 15_000;
const FILE = 'expired.json';

export type WaitingContext = {
  /** The deployment's folder. */
  folder: string;
  /** A line for the deploy log of a revision. */
  say: (revisionId: string, level: LogLevel, message: string) => void;
  /** What is told of the deployment is another by now. */
  changed: () => void;
};

/** How a deployment stands at a look. */
export type Look = {
  /** What serves, and its build. */
  spec: DeploySpec;
  server: Server;
  own: string;
  kept: readonly KeptBuild[];
  /** Builds that could not be started again when they were wanted last. */
  failing: ReadonlySet<string>;
  demands: Demands;
};

/** A part of the report on a deployment. */
export type Told = { threads?: ThreadCounts[]; expired?: ExpiredThreads[] };

/** What becomes of threads that wait in the builds of a deployment, and what is told of them. */
export class WaitingThreads {
  readonly #context: WaitingContext;
  #wanted = new Set<string>();
  #missing = new Set<string>();
  #counts: ThreadCounts[] | undefined;
  #told = { text: '', at: Number.NEGATIVE_INFINITY };
  #expired: ExpiredThreads[];

  constructor(context: WaitingContext) {
    this.#context = context;
    this.#expired = expiredIn(context.folder);
  }

  /** Threads that wait in these revisions shall go on with what serves. Says whether that is new of any. */
  release(revisionIds: readonly string[]): boolean {
    const isNew = revisionIds.some((id) => !this.#wanted.has(id));
    this.#wanted = new Set(revisionIds);
    return isNew;
  }

  /** For the control plane. */
  get told(): Told {
    return {
      ...(this.#counts !== undefined && { threads: this.#counts }),
      ...(this.#expired.length > 0 && { expired: this.#expired }),
    };
  }

  /** Lets go what shall go; says whether anything has changed. */
  async settle(look: Look): Promise<boolean> {
    const isReleased = await this.#release(look);
    const isExpired = await this.#expire(look);
    return isReleased || isExpired;
  }

  /** Takes note of the counts, and tells of them if they are others. */
  note({ own, spec, demands }: Pick<Look, 'own' | 'spec' | 'demands'>, isUrgent: boolean): void {
    this.#counts = countsOf(demands.revisions, { own, revisionId: spec.revision_id });
    const text = JSON.stringify(this.told);
    const isDue = isUrgent || performance.now() - this.#told.at >= TOLD_MILLISECONDS;
    if (text === this.#told.text || !isDue) return;
    this.#told = { text, at: performance.now() };
    this.#context.changed();
  }

  async #release({ spec, server, own, demands }: Look): Promise<boolean> {
    const others = demands.revisions.filter(({ build_id: id }) => id !== own);
    if (others.length === 0) return false;
    if (await movesAll(spec, server)) {
      const count = await releaseAt(server, {});
      if (count > 0) this.#say(spec, `${threadsOf(count)} of earlier revisions go on with this one.`);
      return count > 0;
    }
    const revisions = others.flatMap(({ revision_id: id }) => (this.#wanted.has(id) ? id : []));
    const count = revisions.length === 0 ? 0 : await releaseAt(server, { revisions });
    if (count > 0) this.#say(spec, `${threadsOf(count)} were let go by hand, and go on with this revision.`);
    return count > 0;
  }

  /** Ends the wait in builds that are not kept any longer, or not there. */
  async #expire(look: Look): Promise<boolean> {
    const at = new Date().toISOString();
    const expired: ExpiredThreads[] = [];
    for (const end of [...endsOf(look), ...this.#endsOfMissing(look)]) {
      for (const { revision_id, threads } of await expireAt(look.server, end)) {
        expired.push({ revision_id, threads, at });
        const what = `This revision ${end.reason}: ${threadsOf(threads)} of it ended as an error.`;
        this.#context.say(revision_id, 'WARNING', what);
      }
    }
    if (expired.length === 0) return false;
    this.#expired = [...this.#expired, ...expired].slice(-THREAD_ROWS_MAX);
    writeFileAtomicSync(join(this.#context.folder, FILE), JSON.stringify(this.#expired));
    return true;
  }

  /** What is wanted of builds that nobody has noted, as after files were lost. Seen once, they are looked for again. */
  #endsOfMissing({ own, kept, demands }: Look): End[] {
    const known = new Set([own, ...kept.map(({ build_id: id }) => id)]);
    const missing = demands.builds.flatMap(({ build_id: id }) => (known.has(id) ? [] : [id]));
    const before = this.#missing;
    this.#missing = new Set(missing);
    const reason = 'is not on this machine any more';
    return missing.filter((id) => before.has(id)).map((buildId) => ({ buildId, reason, runs: true }));
  }

  #say({ revision_id: id }: DeploySpec, message: string): void {
    this.#context.say(id, 'INFO', message);
  }
}

/** Whether threads shall not wait for their own build. What would be lost by a move that must lose nothing stays. */
async function movesAll({ on_release: onRelease, runtime }: DeploySpec, server: Server): Promise<boolean> {
  const rule = releaseRuleOf(onRelease, runtime);
  if (rule !== 'refuse') return rule !== 'pin';
  const { lost, unknown } = await lossAt(server);
  return lost.length + unknown.length === 0;
}

/** What ends in a build, and why. */
type End = Parameters<typeof expireAt>[1];

/**
 * What ends in builds that were replaced too long ago: those that have nothing to do but wait, and those
 * that cannot be started for what they have to do.
 */
function endsOf({ spec, own, kept, failing, demands }: Look): End[] {
  const days = spec.on_release?.days ?? DAYS;
  const keptFor = `was kept for ${days} days after another had taken its place (on_release.days)`;
  return kept.flatMap(({ build_id: id, replaced_at: replacedAt = Number.NaN }): End[] => {
    const demand = demands.builds.find(({ build_id: one }) => one === id);
    const isOld = Date.now() - replacedAt > days * DAY_MILLISECONDS;
    if (id === own || demand === undefined || !isOld) return [];
    if (!hasWork(demand)) return [{ buildId: id, reason: keptFor, runs: false }];
    if (!failing.has(id)) return [];
    return [{ buildId: id, reason: `${keptFor}, and cannot be started`, runs: true }];
  });
}

const hasWork = ({ pending, running, scheduled, calls }: Demands['builds'][number]): boolean =>
  pending + running + scheduled + calls > 0;

const threadsOf = (count: number): string => (count === 1 ? '1 thread' : `${count} threads`);

/**
 * The threads of each revision, those with most that wait first. What is of the build that serves is of the
 * revision that serves: it needs no other, and cannot be let go.
 */
export function countsOf(
  revisions: Demands['revisions'],
  serving: { own: string; revisionId: string },
): ThreadCounts[] {
  const counts = new Map<string, ThreadCounts>();
  for (const { build_id, revision_id, runs, waiting, oldest_at } of revisions) {
    const id = build_id === serving.own ? serving.revisionId : revision_id;
    const before = counts.get(id);
    const oldest = [before?.oldest_at, oldest_at && new Date(oldest_at).toISOString()];
    counts.set(id, {
      revision_id: id,
      runs: runs + (before?.runs ?? 0),
      waiting: waiting + (before?.waiting ?? 0),
      oldest_at: oldest.filter((one) => typeof one === 'string').sort()[0] ?? null,
    });
  }
  const most = [...counts.values()].sort((a, b) => b.waiting - a.waiting || b.runs - a.runs);
  return most.slice(0, THREAD_ROWS_MAX);
}

function expiredIn(folder: string): ExpiredThreads[] {
  const file = join(folder, FILE);
  return existsSync(file) ? z.array(expiredThreads).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}
