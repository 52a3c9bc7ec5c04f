import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';
import type { DeployHooks, DeployResult, Driver } from '../../../lib/listener/driver.ts';
import { SECOND } from '../faults.ts';
import type { Ground } from '../ground.ts';

/** What a machine has applied of a deployment; survives a restart of the listener. */
type Applied = { revisionId: string | undefined; epoch: number };

export type Machine = { wait(milliseconds: number): Promise<void> };

/**
 * Brings deployments up in the time of the run: slowly, sometimes not at all, and never an older epoch after
 * a newer one.
 */
export class SimulatedDriver
  implements Pick<Driver, 'tasksAtOnce' | 'deploy' | 'reported' | 'remove' | 'epochOf'>
{
  readonly tasksAtOnce = 4;
  readonly #ground: Ground;
  readonly #machine: Machine;
  readonly #applied: Map<string, Applied>;
  readonly #slow: boolean;

  constructor(
    ground: Ground,
    machine: Machine,
    { applied, slow }: { applied: Map<string, Applied>; slow: boolean },
  ) {
    this.#ground = ground;
    this.#machine = machine;
    this.#applied = applied;
    this.#slow = slow;
  }

  epochOf(deploymentId: string): number | undefined {
    return this.#applied.get(deploymentId)?.epoch;
  }

  async deploy(spec: DeploySpec, { signal, say, announceSwitch }: DeployHooks): Promise<DeployResult> {
    const { aim, faults, facts, random, violate } = this.#ground;
    say('starting');
    for (const [part, told] of [
      ['start', spec.start_command],
      ['health', spec.health_check],
    ] as const) {
      const wrong = facts.noteTold(spec.revision_id, part, told);
      if (wrong !== undefined) violate(wrong);
    }
    const seconds = this.#slow || faults.chance(0.1) ? random.between(60, 400) : random.between(1, 20);
    await this.#unless(signal, seconds * SECOND);
    if (signal.aborted) return { outcome: 'stopped' };
    if (faults.chance(0.1)) {
      facts.failedDeploys.add(spec.revision_id);
      return { outcome: 'failed', message: 'it does not answer /ok', previousServing: true };
    }
    aim(spec.deployment_id, spec.revision_id);
    await this.#machine.wait(random.between(0, 30));
    if (!(await announceSwitch())) return { outcome: 'stopped' };
    this.#apply(spec.deployment_id, spec.revision_id, spec.epoch);
    await this.#machine.wait(random.between(0.01, 3) * SECOND);
    aim(spec.deployment_id, spec.revision_id);
    await this.#machine.wait(random.between(0, 30));
    return { outcome: 'succeeded', url: 'https://agent.test' };
  }

  async reported(): Promise<void> {
    // What served before is gone already.
  }

  async remove(deploymentId: string, epoch = 0): Promise<void> {
    const { faults, random } = this.#ground;
    await this.#machine.wait(random.between(0.2, 8) * SECOND);
    if (faults.chance(0.15)) throw new Error('its processes do not end');
    this.#apply(deploymentId, undefined, epoch);
  }

  #apply(deploymentId: string, revisionId: string | undefined, epoch: number): void {
    const before = this.#applied.get(deploymentId);
    if (before !== undefined && before.epoch > epoch)
      this.#ground.violate(`epoch ${epoch} of ${deploymentId} is applied after ${before.epoch}`);
    this.#applied.set(deploymentId, { revisionId, epoch });
  }

  /** Waits in steps, so that a stop is heard. */
  async #unless(signal: AbortSignal, milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    await Promise.race([promise, this.#machine.wait(milliseconds)]);
  }
}
