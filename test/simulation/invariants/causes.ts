import type { Facts } from '../facts.ts';
import { SECOND } from '../faults.ts';
import type { Ground } from '../ground.ts';
import type { Plan } from '../plan.ts';
import type { Change } from '../table/memory-table.ts';
import type { Invariant, Revision } from './invariant.ts';

/** Two looks that are further apart are no proof of silence. */
const UNNOTICED_OUTAGE = 120 * SECOND;

type Cause = { words: RegExp; isTrue: (revision: Revision) => boolean };

/** A revision fails for a reason that the world has given, and it is the reason that it names. */
export class Causes implements Invariant {
  readonly #ground: Ground;
  readonly #causes: Cause[];
  /** When the attempt began that has to start a build, by revision; epoch milliseconds. */
  readonly #triesSince = new Map<string, number>();
  /** When its build was found to run, by revision; epoch milliseconds. */
  readonly #buildsSince = new Map<string, number>();

  constructor(ground: Ground, { listener, queue, build }: Plan['patienceSeconds']) {
    this.#ground = ground;
    const { facts, time } = ground;
    // Unheard for as long as it may be, and by its own fault: it tries for no longer than an outage that
    // nobody notices.
    const isSilentByItself = (heard: Facts['calls']) =>
      heard.silentFor(time.now) >= (listener - 40) * SECOND && heard.triesFor(time.now) <= UNNOTICED_OUTAGE;
    const wasHit = ({ deployment_id: id }: Revision) => facts.wasHit(id);
    this.#causes = [
      { words: /^npm ci|^The build was stopped/, isTrue: ({ id }) => facts.failedBuilds.has(id) },
      {
        words: /has no ref/,
        isTrue: ({ revision_config: config }) =>
          facts.unreadableSources.has((config as { repo_ref: string }).repo_ref),
      },
      { words: /does not answer \/ok/, isTrue: ({ id }) => facts.failedDeploys.has(id) },
      { words: /aborted by hand/, isTrue: ({ id }) => facts.aborted.has(id) },
      {
        words: /The control plane stopped \d times/,
        isTrue: (revision) => facts.deathsOf(revision.id) >= 3 || wasHit(revision),
      },
      {
        words: /has not asked for work since/,
        isTrue: () => isSilentByItself(facts.claims),
      },
      {
        words: /went silent while deploying/,
        isTrue: () => isSilentByItself(facts.calls),
      },
      {
        words: /No build could start within/,
        isTrue: (revision) => time.now - this.#awaitsSince(revision) >= queue * SECOND,
      },
      {
        // The time that it waits for a builder takes none from the build.
        words: /did not end within/,
        isTrue: (revision) => time.now - (this.#buildsSince.get(revision.id) ?? 0) >= build * SECOND,
      },
      { words: /could not be handed to its listener/, isTrue: wasHit },
    ];
  }

  onChange({ before, after }: Change): void {
    if (after?.entity !== 'revision') return;
    const [was, is] = [before as Revision | undefined, after as Revision];
    // One that no builder became free for goes on waiting.
    const lost = is.lost_build as { unstarted?: boolean; attempt: number } | undefined;
    const goesOn = lost?.unstarted === true && lost.attempt === was?.attempt;
    if (was?.attempt !== is.attempt && is.build_id === undefined && !goesOn)
      this.#triesSince.set(is.id, this.#ground.time.now);
    if (was?.build_phase !== 'running' && is.build_phase === 'running')
      this.#buildsSince.set(is.id, Date.parse(String(is.updated_at)));
    // The reason is judged when it is noted: by the time that the revision ends it may have passed.
    if (is.outcome?.result === 'failed' && was?.outcome?.message !== is.outcome.message)
      this.#judge(is, is.outcome.message);
    if (was?.status === is.status || !is.status.endsWith('_FAILED')) return;
    if (is.status_message !== is.outcome?.message) this.#judge(is, is.status_message);
  }

  #judge(revision: Revision, message = ''): void {
    const cause = this.#causes.find(({ words }) => words.test(message));
    if (cause?.isTrue(revision) === true) return;
    const name = `revision ${revision.number} of ${revision.deployment_id}`;
    this.#ground.violate(`${name} fails without a cause of its own: ${message}`);
  }

  /** Neither a crash nor an outage takes time from a build. */
  #awaitsSince({ id, history }: Revision): number {
    const since = history.find(({ status }) => status === 'AWAITING_BUILD')?.at;
    return Math.max(since === undefined ? 0 : Date.parse(since), this.#triesSince.get(id) ?? 0);
  }
}
