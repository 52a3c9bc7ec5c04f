import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomicSync } from '../processes/atomic-file.ts';

const stateSchema = z.object({
  version: z.literal(1),
  /** The same instance gets its own unfinished tasks back at once after a restart. */
  instance_id: z.string(),
  deployments: z.record(
    z.string(),
    z.union([
      z.object({
        name: z.string(),
        epoch: z.number(),
        revision_id: z.string(),
        /** The host of its own address, if it has one. */
        custom_host: z.string().optional(),
        /** The path of that address. */
        custom_path: z.string().optional(),
      }),
      /** It was removed, which the control plane may not have heard yet. */
      z.object({ epoch: z.number(), revision_id: z.null() }),
    ]),
  ),
  /** The lease of each task whose end is not yet reported, by task id, oldest first. */
  leases: z.record(z.string(), z.string()).default({}),
});
type State = z.infer<typeof stateSchema>;
export type DeploymentState = State['deployments'][string];

/**
 * Nothing lists a task that ended while we were away, so the oldest leases are dropped. Far more than are
 * ever held at once.
 */
const LEASES_MAX = 100;

/**
 * What the listener remembers across restarts, in `<data dir>/state.json`: which revision of which deployment
 * it runs and under which epoch, and the leases it holds. Never a secret: those come again with the spec.
 */
export class LocalState {
  readonly #file: string;
  readonly #state: State;

  constructor(dataFolder: string) {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    this.#file = join(dataFolder, 'state.json');
    this.#state = read(this.#file) ?? { version: 1, instance_id: randomUUID(), deployments: {}, leases: {} };
    this.#write();
  }

  get instanceId(): string {
    return this.#state.instance_id;
  }

  get deployments(): ReadonlyMap<string, DeploymentState> {
    return new Map(Object.entries(this.#state.deployments));
  }

  get(deploymentId: string): DeploymentState | undefined {
    return this.#state.deployments[deploymentId];
  }

  put(deploymentId: string, deployment: DeploymentState): void {
    this.#state.deployments[deploymentId] = deployment;
    this.#write();
  }

  remove(deploymentId: string): void {
    delete this.#state.deployments[deploymentId];
    this.#write();
  }

  /** The last lease under which this instance held the task, perhaps before a restart. */
  leaseOf(taskId: string): string | undefined {
    return this.#state.leases[taskId];
  }

  keepLease(taskId: string, leaseId: string): void {
    const others = Object.entries(this.#state.leases).filter(([id]) => id !== taskId);
    this.#state.leases = Object.fromEntries([...others.slice(1 - LEASES_MAX), [taskId, leaseId]]);
    this.#write();
  }

  forgetLease(taskId: string): void {
    if (!(taskId in this.#state.leases)) return;
    delete this.#state.leases[taskId];
    this.#write();
  }

  #write(): void {
    writeFileAtomicSync(this.#file, JSON.stringify(this.#state, undefined, 2));
  }
}

function read(file: string): State | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined; // The first start.
  }
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    // Everything in it can be learned again from the control plane; the file is kept for whoever looks into
    // it.
    renameSync(file, `${file}.unreadable`);
    return undefined;
  }
}
