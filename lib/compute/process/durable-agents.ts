import { randomBytes } from 'node:crypto';
import { PostgresMissing } from '../postgres/binaries.ts';
import type { Database } from '../postgres/databases.ts';
import type { MachinePostgres } from '../postgres/machine.ts';
import { PinnedBuilds, type PinningContext } from './pinned-builds.ts';
import type { Told } from './waiting-threads.ts';

const NO_DATABASE =
  "The runtime 'durable' keeps threads and runs there: mend that, or set source_config.runtime to 'dev'.";

/** What a durable server is given of its deployment. */
export type DurableAccess = {
  databaseUri: string;
  /** By which this listener asks it what nobody else may. */
  internalToken: string;
};

type Parts = {
  postgres: Pick<MachinePostgres, 'database' | 'remove' | 'stop'>;
  contextOf: (deploymentId: string) => PinningContext;
};

/** What deployments with Slipway's own agent server have beside their server: a database, and builds that threads wait in. */
export class DurableAgents {
  readonly #parts: Parts;
  readonly #secrets = new Map<string, Database & Pick<DurableAccess, 'internalToken'>>();
  readonly #pinned = new Map<string, PinnedBuilds>();
  /** The revisions whose threads shall be let go. */
  readonly #released = new Map<string, readonly string[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Opens a deployment's database. Throws with a reason for a person. */
  async open(deploymentId: string, say: (message: string) => void): Promise<DurableAccess> {
    if (!this.#secrets.has(deploymentId))
      say('Opening its database. The first one on a machine waits for PostgreSQL to be downloaded.');
    const database = await this.#parts.postgres.database(deploymentId).catch((error: unknown) => {
      throw error instanceof PostgresMissing ? new Error(`${error.message}. ${NO_DATABASE}`) : error;
    });
    const internalToken =
      this.#secrets.get(deploymentId)?.internalToken ?? randomBytes(24).toString('base64url');
    this.#secrets.set(deploymentId, { ...database, internalToken });
    return { databaseUri: database.uri, internalToken };
  }

  /** What nobody may read in the output of a deployment's servers. */
  secretsOf(deploymentId: string): string[] {
    const { password, internalToken } = this.#secrets.get(deploymentId) ?? {};
    return [password, internalToken].filter((one) => one !== undefined);
  }

  /** The builds of a deployment; undefined where none has run since this program started. */
  of(deploymentId: string): PinnedBuilds | undefined {
    return this.#pinned.get(deploymentId);
  }

  /** The builds of a deployment that has one now. */
  pinned(deploymentId: string): PinnedBuilds {
    const known = this.#pinned.get(deploymentId);
    if (known !== undefined) return known;
    const pinned = new PinnedBuilds(this.#parts.contextOf(deploymentId));
    this.#pinned.set(deploymentId, pinned);
    pinned.release(this.#released.get(deploymentId) ?? []);
    return pinned;
  }

  /** Threads that wait in these revisions shall go on with what serves, as soon as something does. */
  release(deploymentId: string, revisionIds: readonly string[]): void {
    if (revisionIds.length > 0) this.#released.set(deploymentId, revisionIds);
    else this.#released.delete(deploymentId);
    this.#pinned.get(deploymentId)?.release(revisionIds);
  }

  /** What is told of a deployment's threads. */
  told = (deploymentId: string): Told => this.#pinned.get(deploymentId)?.threads.told ?? {};

  /** Stops the servers beside the one that serves. */
  async stop(deploymentId: string): Promise<void> {
    const pinned = this.#pinned.get(deploymentId);
    this.#pinned.delete(deploymentId);
    await pinned?.close();
  }

  /** Removes a deployment's database. `keepsDump`: a dump of it stays for some days. */
  async remove(deploymentId: string, keeps: { keepsDump: boolean }): Promise<void> {
    await this.#parts.postgres.remove(deploymentId, keeps);
    this.#secrets.delete(deploymentId);
    this.#released.delete(deploymentId);
  }

  /** Tells all servers that their connections will be closed: that is no client who has gone. */
  async announceEnd(): Promise<void> {
    await Promise.all([...this.#pinned.values()].map((pinned) => pinned.announceEnd()));
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#pinned.keys()].map((id) => this.stop(id)));
  }

  /** Nothing uses a database any more. */
  async close(): Promise<void> {
    await this.#parts.postgres.stop();
  }
}
