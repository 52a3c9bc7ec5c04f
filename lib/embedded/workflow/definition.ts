import { registerHooks } from 'node:module';
import type { StateMachine, StateMachineDefinition } from 'aws-local-stepfunctions';
import * as z from 'zod';
import { once } from '../../contract/once.ts';

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
export type RunMachine = StateMachine['run'];
/** `load` gives what runs it, loaded for the first execution. */
export type LoadedMachine = { load: () => Promise<RunMachine>; tasks: TaskState[] };

/**
 * Reads a state machine in the Amazon States Language. Throws for what the twin cannot run as Step Functions
 * does: other services than Lambda, nested machines, JSONata, tasks without a timeout or with a heartbeat.
 */
export function readMachine(text: string): LoadedMachine {
  const json: unknown = JSON.parse(text);
  const parsed = machineText.parse(json);
  const load = once(async () => {
    const { StateMachine: Twin } = await withoutUnused(() => import('aws-local-stepfunctions'));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test checks our text against the whole language, which would take too long here
    const machine = new Twin(json as StateMachineDefinition, { validationOptions: { noValidate: true } });
    return machine.run.bind(machine);
  });
  const tasks = Object.entries(parsed.States).flatMap(([name, found]) =>
    found.Type === 'Task'
      ? [{ name, waitsForToken: found.Resource === LAMBDA_WITH_TOKEN, timeoutSeconds: found.TimeoutSeconds }]
      : [],
  );
  return { load, tasks };
}

/**
 * What aws-local-stepfunctions imports and nothing here uses: the client of Lambda and its credentials, for a
 * state without a handler of ours (all have one), and the validator, which we switch off. They are nine
 * tenths of what loading it costs.
 */
const UNUSED = new Set(['@aws-sdk/client-lambda', '@aws-sdk/credential-providers', 'asl-validator']);
const IMPORTER = '/node_modules/aws-local-stepfunctions/';

/** Stands in for all of them, and fails loudly when it is used after all. */
const standIn = {
  url: 'slipway:unused',
  source: `
    const notHere = () => { throw new Error('It is left out of the embedded Step Functions.'); };
    export { notHere as InvokeCommand, notHere as LambdaClient, notHere as default, notHere as fromCognitoIdentityPool };
  `,
};

/** Loads aws-local-stepfunctions without them; whoever else imports them gets them. */
export async function withoutUnused<Module>(load: () => Promise<Module>): Promise<Module> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      UNUSED.has(specifier) && context.parentURL?.includes(IMPORTER) === true
        ? { url: standIn.url, format: 'module', shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      url === standIn.url
        ? { source: standIn.source, format: 'module', shortCircuit: true }
        : next(url, context),
  });
  try {
    return await load();
  } finally {
    hooks.deregister();
  }
}
