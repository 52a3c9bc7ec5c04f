import {
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  ListStateMachinesCommand,
  SFNClient,
} from '@aws-sdk/client-sfn';
import { clientConfig } from './aws-environment.ts';
import type { Emulator } from './emulator.ts';

export type Execution = { arn: string; name: string };

/** Looks at the executions of the one state machine. */
export class Executions {
  readonly client: SFNClient;

  constructor(emulator: Emulator) {
    // The service's own hosts begin with `sync-` and the like; the emulator has one.
    this.client = new SFNClient({ ...clientConfig(emulator), disableHostPrefix: true });
  }

  async stateMachineArn(): Promise<string> {
    const { stateMachines = [] } = await this.client.send(new ListStateMachinesCommand({}));
    const found = stateMachines.find(({ name }) => name === 'slipway-test-revision');
    if (found?.stateMachineArn === undefined) throw new Error('There is no state machine of revisions');
    return found.stateMachineArn;
  }

  /** The executions of a revision. */
  async of(revisionId: string): Promise<Execution[]> {
    const stateMachineArn = await this.stateMachineArn();
    const { executions = [] } = await this.client.send(new ListExecutionsCommand({ stateMachineArn }));
    return executions
      .map(({ executionArn: arn = '', name = '' }) => ({ arn, name }))
      .filter(({ name }) => name.startsWith(revisionId));
  }

  /** What AWS counts as state transitions: each state that was entered, the start and the end. */
  async transitions(revisionId: string): Promise<{ states: string[]; count: number }> {
    const [execution] = await this.of(revisionId);
    const command = new GetExecutionHistoryCommand({ executionArn: execution?.arn, maxResults: 1000 });
    const { events = [] } = await this.client.send(command);
    const states = events.flatMap(({ stateEnteredEventDetails: entered }) =>
      entered?.name === undefined ? [] : [entered.name],
    );
    return { states, count: states.length + 2 };
  }
}
