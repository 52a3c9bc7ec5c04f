import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const stateSchema = z.object({
  version: z.literal(1),
  /** The same instance gets its own unfinished tasks back at once after a restart. */
  instance_id: z.string(),
  deployments: z.record(
    z.string(),
    z.object({
      name: z.string(),
      epoch: z.number(),
      revision_id: z.string().nullable(),
    }),
  ),
});
type State = z.infer<typeof stateSchema>;
export type DeploymentState = State['deployments'][string];

/**
 * What the listener remembers across restarts, in `<data dir>/state.json`: which revision of which deployment it runs and under
 * which epoch. Never a secret: those come again with the spec.
 */
export class LocalState {
  readonly #file: string;
  readonly #state: State;

  constructor(dataFolder: string) {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    this.#file = join(dataFolder, 'state.json');
    this.#state = read(this.#file) ?? { version: 1, instance_id: randomUUID(), deployments: {} };
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

  #write(): void {
    const temporary = `${this.#file}.new`;
    writeFileSync(temporary, JSON.stringify(this.#state, undefined, 2), { mode: 0o600, flush: true });
    renameSync(temporary, this.#file);
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
    // Everything in it can be learned again from the control plane; the file is kept for whoever looks into it.
    renameSync(file, `${file}.unreadable`);
    return undefined;
  }
}
