import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { createStepFunctions } from '../../../lib/adapters/aws/workflow.ts';

const ARN = 'arn:aws:states:eu-west-1:123456789012:stateMachine:revision';
const ref = { tenantId: 't', deploymentId: 'd', revisionId: 'r', attempt: 1 };
const sfn = mockClient(SFNClient);
const workflow = createStepFunctions(ARN);
const thrown = { message: 'm', $metadata: {} };

beforeEach(() => sfn.reset());

describe('Step Functions', () => {
  it('starts an execution by name, whose input is the three ids and the attempt, and nothing else', async () => {
    sfn.on(StartExecutionCommand).resolves({});
    expect(await workflow.start('r-1', { ...ref, ...{ secret: 'x' } })).toBe('started');
    const sent = sfn.commandCalls(StartExecutionCommand)[0]?.args[0].input;
    expect(sent).toEqual({ stateMachineArn: ARN, name: 'r-1', input: JSON.stringify(ref) });
  });

  it('says when a name was used before, and throws anything else', async () => {
    sfn.on(StartExecutionCommand).rejectsOnce(new ExecutionAlreadyExists(thrown)).rejects(new Error('down'));
    expect(await workflow.start('r-1', ref)).toBe('already_exists');
    await expect(workflow.start('r-1', ref)).rejects.toThrow('down');
  });

  it.each([
    ['RUNNING', 'running'],
    ['PENDING_REDRIVE', 'running'],
    ['SUCCEEDED', 'succeeded'],
    ['FAILED', 'failed'],
    ['TIMED_OUT', 'timed_out'],
    ['ABORTED', 'aborted'],
  ] as const)('takes an execution that is %s for %s', async (status, expected) => {
    sfn.on(DescribeExecutionCommand).resolves({ status });
    expect(await workflow.status('r-1')).toBe(expected);
    expect(sfn.commandCalls(DescribeExecutionCommand)[0]?.args[0].input.executionArn).toBe(
      'arn:aws:states:eu-west-1:123456789012:execution:revision:r-1',
    );
  });

  it('knows an execution that never was', async () => {
    sfn
      .on(DescribeExecutionCommand)
      .rejectsOnce(new ExecutionDoesNotExist(thrown))
      .rejects(new Error('down'));
    expect(await workflow.status('r-1')).toBe('absent');
    await expect(workflow.status('r-1')).rejects.toThrow('down');
  });

  it.each([TaskTimedOut, TaskDoesNotExist, InvalidToken])('takes %o for nobody waiting', async (Refusal) => {
    sfn.on(SendTaskSuccessCommand).rejects(new Refusal(thrown));
    sfn.on(SendTaskFailureCommand).rejects(new Refusal(thrown));
    expect(await workflow.succeed('token', {})).toBe('gone');
    expect(await workflow.fail('token', { name: 'n', cause: 'c' })).toBe('gone');
  });

  it('answers a task, within the lengths that the service takes', async () => {
    sfn.on(SendTaskSuccessCommand).resolves({});
    sfn.on(SendTaskFailureCommand).resolves({});
    expect(await workflow.succeed('token', { a: 1 })).toBe('answered');
    expect(await workflow.fail('token', { name: 'n'.repeat(300), cause: 'c'.repeat(40_000) })).toBe(
      'answered',
    );
    expect(sfn.commandCalls(SendTaskSuccessCommand)[0]?.args[0].input).toEqual({
      taskToken: 'token',
      output: '{"a":1}',
    });
    const failure = sfn.commandCalls(SendTaskFailureCommand)[0]?.args[0].input;
    expect([failure?.error?.length, failure?.cause?.length]).toEqual([256, 32_768]);
  });

  it('throws what it does not know', async () => {
    sfn.on(SendTaskSuccessCommand).rejects(new Error('down'));
    await expect(workflow.succeed('token', {})).rejects.toThrow('down');
  });
});
