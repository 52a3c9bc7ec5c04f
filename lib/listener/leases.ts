/**
 * Who this listener is to the control plane, and the leases it holds. A claim gives an instance its own tasks
 * back, so leases need not be kept: they save a claim after a restart.
 */
export type Leases = {
  readonly instanceId: string;
  leaseOf(taskId: string): string | undefined;
  keepLease(taskId: string, leaseId: string): void;
  forgetLease(taskId: string): void;
};

/** Leases of a program that keeps nothing: whoever continues after it has the same instance id. */
export class MemoryLeases implements Leases {
  readonly instanceId: string;
  readonly #leases = new Map<string, string>();

  constructor(instanceId: string) {
    this.instanceId = instanceId;
  }

  leaseOf(taskId: string): string | undefined {
    return this.#leases.get(taskId);
  }

  keepLease(taskId: string, leaseId: string): void {
    this.#leases.set(taskId, leaseId);
  }

  forgetLease(taskId: string): void {
    this.#leases.delete(taskId);
  }
}
