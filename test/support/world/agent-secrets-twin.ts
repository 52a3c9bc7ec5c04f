import {
  type AgentSecrets,
  AgentSecretsUnreadable,
  type SharedVariables,
} from '../../../lib/adapters/agent-secrets.ts';

/** The item of an installation in memory: what it has, had before, and whether it can be read. */
export class AgentSecretsTwin implements AgentSecrets {
  readonly arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:agents-AbCdEf';
  /** Why nobody can read it. */
  problem: string | undefined;
  remark: string | undefined;
  #members: Readonly<Record<string, string>>;
  #before: Readonly<Record<string, string>> = {};
  #version = 1;

  constructor(members: Readonly<Record<string, string>>) {
    this.#members = members;
  }

  change(members: Readonly<Record<string, string>>): void {
    this.#before = this.#members;
    this.#members = members;
    this.#version += 1;
  }

  async variables(): Promise<SharedVariables> {
    this.#demandReadable();
    const { arn, remark } = this;
    return { arn, remark, version: `v${this.#version}`, names: Object.keys(this.#members) };
  }

  async values(): Promise<string[]> {
    this.#demandReadable();
    return [...Object.values(this.#members), ...Object.values(this.#before)];
  }

  #demandReadable(): void {
    if (this.problem !== undefined) throw new AgentSecretsUnreadable(this.problem);
  }
}
