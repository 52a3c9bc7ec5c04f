import { StateMachine, type StateMachineDefinition } from 'aws-local-stepfunctions';
import * as z from 'zod';

const LAMBDA = 'arn:aws:states:::lambda:invoke';
const LAMBDA_WITH_TOKEN = 'arn:aws:states:::lambda:invoke.waitForTaskToken';

const state = z.discriminatedUnion('Type', [
  z.object({
    Type: z.literal('Task'),
    Resource: z.enum([LAMBDA, LAMBDA_WITH_TOKEN]),
    // Required: without one Step Functions waits for years, its twin a minute.
    TimeoutSeconds: z.int().positive(),
    // Its twin never fires.
    HeartbeatSeconds: z.never().optional(),
  }),
  z.object({ Type: z.enum(['Choice', 'Pass', 'Succeed', 'Fail', 'Wait']) }),
]);
const machineText = z.object({
  QueryLanguage: z.literal('JSONPath').optional(),
  States: z.record(z.string(), state),
});

export type TaskState = { name: string; waitsForToken: boolean; timeoutSeconds: number };
/** Any JSON value. */
export type MachineInput = Parameters<StateMachine['run']>[0];
export type Machine = { run: StateMachine['run']; tasks: TaskState[] };

/**
 * Reads a state machine in the Amazon States Language. Throws for what the twin cannot run as Step Functions does: other services
 * than Lambda, nested machines, JSONata, tasks without a timeout or with a heartbeat.
 */
export function readMachine(text: string): Machine {
  const json: unknown = JSON.parse(text);
  const parsed = machineText.parse(json);
  // A test holds our text against the whole language; doing so at each start would be half of the start.
  const machine = new StateMachine(json as StateMachineDefinition, {
    validationOptions: { noValidate: true },
  });
  const tasks = Object.entries(parsed.States).flatMap(([name, found]) =>
    found.Type === 'Task'
      ? [{ name, waitsForToken: found.Resource === LAMBDA_WITH_TOKEN, timeoutSeconds: found.TimeoutSeconds }]
      : [],
  );
  return { run: machine.run.bind(machine), tasks };
}
