import { Aws } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { type FunctionRow, functionRows } from '../contract/functions.ts';
import { sourceText } from './bundles.ts';
import { ownService } from './own-service.ts';
import { nameOf, type Platform } from './platform.ts';
import { SlipwayFunction } from './slipway-function.ts';

/** The functions of the states, by the placeholder that the state machine's text has for each. */
const states = {
  PrepareFunctionArn: functionRows.prepare,
  BuildFunctionArn: functionRows.build,
  DeployFunctionArn: functionRows.deploy,
  FinishFunctionArn: functionRows.finish,
} as const;

/** The state machine of revisions, from its text, and the functions behind its states. */
export class Workflow extends Construct {
  readonly functions: Record<keyof typeof states, SlipwayFunction>;
  readonly stateMachine: CfnStateMachine;

  constructor(scope: Construct, id: string, platform: Platform) {
    super(scope, id);
    const isManaging = platform.settings.compute !== undefined;
    const make = (row: FunctionRow) =>
      new SlipwayFunction(this, row.name, {
        platform,
        ...row,
        access: [...row.access, ...(isManaging ? (row.managing ?? []) : [])],
      });
    this.functions = {
      PrepareFunctionArn: make(states.PrepareFunctionArn),
      BuildFunctionArn: make(states.BuildFunctionArn),
      DeployFunctionArn: make(states.DeployFunctionArn),
      FinishFunctionArn: make(states.FinishFunctionArn),
    };
    const arns = Object.fromEntries(
      Object.entries(this.functions).map(([name, made]) => [name, made.function.functionArn]),
    );
    const invoke = new PolicyStatement({
      actions: ['lambda:InvokeFunction'],
      resources: Object.values(arns),
    });
    const role = new Role(this, 'Role', {
      assumedBy: ownService(this, 'states.amazonaws.com'),
      inlinePolicies: { invoke: new PolicyDocument({ statements: [invoke] }) },
    });
    this.stateMachine = new CfnStateMachine(this, 'StateMachine', {
      // By this name its ARN is known to the functions that it calls.
      stateMachineName: nameOf(platform.settings, 'revision'),
      stateMachineType: 'STANDARD',
      roleArn: role.roleArn,
      // The embedded runtime takes the text as it is; in AWS the service's name carries the partition.
      definitionString: sourceText('statemachines/revision.asl.json').replaceAll(
        '"arn:aws:',
        '"arn:${Partition}:',
      ),
      definitionSubstitutions: { ...arns, Partition: Aws.PARTITION },
    });
  }
}
