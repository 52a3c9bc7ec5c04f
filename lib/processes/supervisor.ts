import { randomUUID } from 'node:crypto';
import { type GroupCommand, type ProcessGroup, startGroup } from './group.ts';
import { isEmpty, killGroup, stopGroup } from './stop-group.ts';
import { processesOf } from './table/read.ts';
import { MARKER_VARIABLE } from './table/source.ts';
import { Warden } from './warden.ts';

const FORGET_MILLISECONDS = 1_000;

/**
 * Starts process groups and sees to it that none of them outlives this process, however it ends: a warden
 * beside it kills what is left. Make one for a program and close it at the end.
 */
export class ProcessSupervisor {
  /**
   * Every group's marker contains it: with `killCarriers(id)` a later run can end what an earlier one left.
   */
  readonly id = randomUUID();
  readonly #warden = new Warden(this.id);
  readonly #groups = new Set<ProcessGroup>();
  #closed = false;

  get wardenPid(): number | undefined {
    return this.#warden.pid;
  }

  /** The groups that may still have living members. */
  get groups(): ReadonlySet<ProcessGroup> {
    return this.#groups;
  }

  /**
   * Starts a command in a session and process group of its own. Never throws: a failed start is the group's
   * exit.
   */
  start(command: GroupCommand): ProcessGroup {
    const own = `${this.id}.${randomUUID()}`;
    const group = startGroup(command, own, withOuter(own));
    this.#groups.add(group);
    this.#warden.add({ pid: group.pid, startTime: group.startTime, marker: group.marker });
    void group.exited.then(() => this.#forgetSoon(group));
    if (this.#closed) void stopGroup(group, 0);
    return group;
  }

  /**
   * The variable of a child that is started without a group, by which it does not outlive this process
   * either.
   */
  marking(): Record<string, string> {
    return { [MARKER_VARIABLE]: withOuter(this.id) };
  }

  /** SIGTERM, after the grace SIGKILL; resolves when no member of the group is alive. */
  async stop(group: ProcessGroup, graceMilliseconds: number): Promise<void> {
    await stopGroup(group, graceMilliseconds);
    this.#forget(group);
  }

  /**
   * As `stop`, for a program that is known to leave nothing behind: when it has ended, all processes of the
   * machine need not be looked at.
   */
  async stopKnown(group: ProcessGroup, graceMilliseconds: number): Promise<void> {
    if (group.exit === undefined || !isEmpty(group)) return this.stop(group, graceMilliseconds);
    this.#forget(group);
  }

  async stopAll(graceMilliseconds: number): Promise<void> {
    await Promise.all([...this.#groups].map((group) => this.stop(group, graceMilliseconds)));
  }

  /**
   * Kills what is left and dismisses the warden. What is started later is ended at once: nobody would end it
   * otherwise.
   */
  async close(): Promise<void> {
    this.#closed = true;
    await this.stopAll(0);
    await killCarriers(this.id);
    await this.#warden.close();
  }

  /**
   * Most groups are stopped the moment they have ended; a look at all processes is for those that nobody
   * stops.
   */
  #forgetSoon(group: ProcessGroup): void {
    const look = () => {
      if (this.#groups.has(group) && processesOf(group).length === 0) this.#forget(group);
    };
    setTimeout(look, FORGET_MILLISECONDS).unref();
  }

  #forget(group: ProcessGroup): void {
    if (this.#groups.delete(group)) this.#warden.remove(group.marker);
  }
}

/**
 * What runs inside another supervisor's group carries that marker too, so that ending the outer group ends
 * all of it.
 */
function withOuter(own: string): string {
  const outer = process.env[MARKER_VARIABLE];
  return outer === undefined ? own : `${outer}/${own}`;
}

/** Kills every process whose marker contains `supervisorId` and waits until none is alive. */
export async function killCarriers(supervisorId: string): Promise<void> {
  await killGroup({ pid: undefined, startTime: undefined, marker: supervisorId });
}
