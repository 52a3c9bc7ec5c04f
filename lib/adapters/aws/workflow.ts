import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  type ExecutionStatus as SfnStatus,
  StartExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import type { ExecutionStatus } from '../../contract/execution-status.ts';
import type { Workflow } from '../workflow.ts';

/** The longest that SendTaskFailure takes. */
const CAUSE_LENGTH_MAX = 32_768;
const ERROR_NAME_LENGTH_MAX = 256;

/** A redrive that waits goes on later. */
const statusOf: Record<SfnStatus, ExecutionStatus> = {
  RUNNING: 'running',
  PENDING_REDRIVE: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timed_out',
  ABORTED: 'aborted',
};

/** The state machine of this ARN (a standard one). */
export function createStepFunctions(stateMachineArn: string): Workflow {
  const client = new SFNClient({});
  return {
    async start(name, input) {
      // Named one by one: the input is what the console shows to everybody who may look.
      const { tenantId, deploymentId, revisionId, attempt } = input;
      const text = JSON.stringify({ tenantId, deploymentId, revisionId, attempt });
      try {
        await client.send(new StartExecutionCommand({ stateMachineArn, name, input: text }));
        return 'started';
      } catch (error) {
        if (error instanceof ExecutionAlreadyExists) return 'already_exists';
        throw error;
      }
    },
    async status(name) {
      try {
        const executionArn = executionArnOf(stateMachineArn, name);
        const { status } = await client.send(new DescribeExecutionCommand({ executionArn }));
        return status === undefined ? 'running' : statusOf[status];
      } catch (error) {
        if (error instanceof ExecutionDoesNotExist) return 'absent';
        throw error;
      }
    },
    succeed: (taskToken, output) =>
      answered(client.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }))),
    fail: (taskToken, { name, cause }) =>
      answered(
        client.send(
          new SendTaskFailureCommand({
            taskToken,
            error: name.slice(0, ERROR_NAME_LENGTH_MAX),
            cause: cause.slice(0, CAUSE_LENGTH_MAX),
          }),
        ),
      ),
  };
}

/** `arn:…:stateMachine:<machine>` and a name give `arn:…:execution:<machine>:<name>`. */
const executionArnOf = (stateMachineArn: string, name: string): string =>
  `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;

async function answered(sent: Promise<unknown>): Promise<'answered' | 'gone'> {
  try {
    await sent;
    return 'answered';
  } catch (error) {
    const gone =
      error instanceof TaskTimedOut || error instanceof TaskDoesNotExist || error instanceof InvalidToken;
    if (gone) return 'gone';
    throw error;
  }
}
