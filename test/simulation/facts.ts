/** A look at a deployment is given up after so long. */
const LOOK_MILLISECONDS = 60_000;

/**
 * What really happened to revisions, as the services and people of a run know it. Invariants compare the
 * engine's word with it. Revisions are named by their ids.
 */
export class Facts {
  /** Builds that ended badly by themselves. */
  readonly failedBuilds = new Set<string>();
  /** Sources that could not be read. */
  readonly unreadableSources = new Set<string>();
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
  /** Revisions by the idempotency key that they were asked for under. */
  readonly byKey = new Map<string, string>();
  /**
   * Since when the listener asks without an answer; epoch milliseconds, undefined while it is answered or
   * does not ask.
   */
  listenerTriesSince: number | undefined;
  /** When it was last answered, and its last silence of more than a minute; epoch milliseconds. */
  #listenerHeardAt = 0;
  #listenerSilence = { since: 0, until: 0 };

  noteBroken(deploymentId: string | undefined): void {
    this.#hit.add(deploymentId);
  }

  noteListenerHeard(now: number): void {
    if (now - this.#listenerHeardAt > LOOK_MILLISECONDS)
      this.#listenerSilence = { since: this.#listenerHeardAt, until: now };
    this.#listenerHeardAt = now;
    this.listenerTriesSince = undefined;
  }

  /**
   * For how long nothing was heard of it (milliseconds), as a look says that may have begun before it was
   * heard again.
   */
  listenerSilentFor(now: number): number {
    const { since, until } = this.#listenerSilence;
    const before = now - until <= LOOK_MILLISECONDS ? until - since : 0;
    return Math.max(now - this.#listenerHeardAt, before);
  }

  wasHit(deploymentId: string): boolean {
    return this.#hit.has(deploymentId) || this.#hit.has(undefined);
  }

  noteDeath(revisionId: string): void {
    this.deaths.set(revisionId, this.deathsOf(revisionId) + 1);
  }

  deathsOf(revisionId: string): number {
    return this.deaths.get(revisionId) ?? 0;
  }
}
