/** A look at a deployment is given up after so long. */
const LOOK_MILLISECONDS = 60_000;

/** How the listener is heard by the control plane. Times are epoch milliseconds. */
class Hearing {
  /** Since when it tries without an answer; undefined while it is answered or does not try. */
  #triesSince: number | undefined;
  #heardAt = 0;
  /** Its last silence of more than a minute. */
  #silence = { since: 0, until: 0 };

  noteTry(now: number): void {
    this.#triesSince ??= now;
  }

  noteHeard(now: number): void {
    if (now - this.#heardAt > LOOK_MILLISECONDS) this.#silence = { since: this.#heardAt, until: now };
    this.#heardAt = now;
    this.#triesSince = undefined;
  }

  /** It stands still or is down: that is its own fault. */
  noteAway(): void {
    this.#triesSince = undefined;
  }

  /** For how long (milliseconds) it has tried without an answer. */
  triesFor(now: number): number {
    return now - (this.#triesSince ?? now);
  }

  /**
   * For how long nothing was heard of it (milliseconds), as a look says that may have begun before it was
   * heard again.
   */
  silentFor(now: number): number {
    const { since, until } = this.#silence;
    const before = now - until <= LOOK_MILLISECONDS ? until - since : 0;
    return Math.max(now - this.#heardAt, before);
  }
}

/**
 * What really happened to revisions, as the services and people of a run know it. Invariants compare the
 * engine's word with it. Revisions are named by their ids.
 */
export class Facts {
  /** Builds that ended badly by themselves. */
  readonly failedBuilds = new Set<string>();
  /** Sources that could not be read. */
  readonly unreadableSources = new Set<string>();
  /** How often somebody has pushed; the head of every branch is the commit of this number. */
  pushes = 0;
  /** Deploys that their listener reported as failed or stopped. */
  readonly failedDeploys = new Set<string>();
  /** Executions that an operator ended by hand. */
  readonly aborted = new Set<string>();
  /** How often an execution or a build of it ended through a fault of ours. */
  readonly deaths = new Map<string, number>();
  /** Deployments that a broken port was asked about; `undefined`: all of them. */
  readonly #hit = new Set<string | undefined>();
  /** Deployments whose DELETE was asked for; it may have been done without an answer. */
  readonly mayBeDeleted = new Set<string>();
  /** Deployments whose DELETE was answered. */
  readonly deleted = new Set<string>();
  readonly forced = new Set<string>();
  /** Revisions whose interrupt was answered with 200. */
  readonly interrupted = new Set<string>();
  /** Revisions whose listener heard that its success was accepted. */
  readonly acceptedSuccess = new Set<string>();
  /** Revisions whose listener was told that it may move traffic. */
  readonly switched = new Set<string>();
  /** Revisions of answered writes, with their deployments. */
  readonly acknowledged = new Map<string, string>();
  /** The revisions that were deployed again, by those that do it. */
  readonly runsAgain = new Map<string, string>();
  /** How revisions are built and started, as builds and listeners have been told: JSON, by revision and part. */
  readonly #told = new Map<string, string>();
  /** Revisions by the idempotency key that they were asked for under. */
  readonly byKey = new Map<string, string>();
  /** What the listener calls about, whatever it is. */
  readonly calls = new Hearing();
  /** Only where it asks for work: a task that it was never given waits for that. */
  readonly claims = new Hearing();

  noteBroken(deploymentId: string | undefined): void {
    this.#hit.add(deploymentId);
  }

  wasHit(deploymentId: string): boolean {
    return this.#hit.has(deploymentId) || this.#hit.has(undefined);
  }

  /**
   * Gives what is wrong if a part of a revision's configuration is told otherwise than before, or than that
   * of the revision it repeats.
   */
  noteTold(revisionId: string, part: 'build' | 'health' | 'start', value: unknown): string | undefined {
    const text = JSON.stringify(value ?? null);
    const ids = [revisionId, this.runsAgain.get(revisionId)];
    const other = ids
      .map((id) => this.#told.get(`${id} ${part}`))
      .find((one) => one !== undefined && one !== text);
    this.#told.set(`${revisionId} ${part}`, text);
    return other === undefined
      ? undefined
      : `the ${part} of revision ${revisionId} is told as ${text} and as ${other}`;
  }

  noteDeath(revisionId: string): void {
    this.deaths.set(revisionId, this.deathsOf(revisionId) + 1);
  }

  deathsOf(revisionId: string): number {
    return this.deaths.get(revisionId) ?? 0;
  }
}
