import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Access, variablesFor } from '../contract/access.ts';
import type { VariableName } from '../settings/variable.ts';
import { type AllowedActions, permissionsFor } from './access.ts';
import { reservedFor } from './concurrency.ts';
import { nameOf, type Platform } from './platform.ts';

/**
 * A third of a vCPU: what a function needs at start, in a bundle of some 300 KB, before memory is the limit.
 */
const MEMORY_MEGABYTES = 512;

export type SlipwayFunctionProps = {
  platform: Platform;
  /** Part of the function's name; kebab-case. */
  name: string;
  handler: string;
  summary: string;
  access: readonly Access[];
  variables?: readonly VariableName[];
  timeoutSeconds: number;
  /** By default one of its own. */
  logGroup?: LogGroup;
};

/** A log group of one function, or of several; it ends with the stack. */
export const functionLog = (scope: Construct, id: string, { settings }: Platform, name: string): LogGroup =>
  new LogGroup(scope, id, {
    logGroupName: `/slipway/${settings.environment}/${name}`,
    // Settings take any number; CloudFormation refuses one that CloudWatch does not know.
    retention: settings.logRetentionDays as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });

/** One function with its own bundle and role. The role and the variables follow from `access`. */
export class SlipwayFunction extends Construct {
  readonly function: LambdaFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: SlipwayFunctionProps) {
    super(scope, id);
    const { platform } = props;
    const reserved = reservedFor(props.name, platform.settings);
    const functionName = nameOf(platform.settings, props.name);
    const logGroup = props.logGroup ?? functionLog(this, 'Log', platform, props.name);
    this.role = roleOf(this, logGroup, permissionsFor(props.access, platform.arns));
    this.function = new LambdaFunction(this, 'Function', {
      functionName,
      description: props.summary,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY_MEGABYTES,
      timeout: Duration.seconds(props.timeoutSeconds),
      handler: 'index.handler',
      code: Code.fromAsset(bundleOf(platform, props.handler)),
      role: this.role,
      logGroup,
      environment: environmentOf(platform, props),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    });
  }
}

const statementOf = ({ actions, resources, condition }: AllowedActions): PolicyStatement =>
  new PolicyStatement({ actions, resources, ...(condition !== undefined && { conditions: condition }) });

function roleOf(scope: Construct, logGroup: LogGroup, permissions: AllowedActions[]): Role {
  const logs = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { access: new PolicyDocument({ statements: [logs, ...permissions.map(statementOf)] }) },
  });
}

function bundleOf({ bundles }: Platform, handler: string): string {
  const bundle = bundles.get(handler);
  if (bundle === undefined) throw new Error(`${handler} was not bundled`);
  return bundle.folder;
}

function environmentOf(
  { variables }: Platform,
  { access, variables: own = [] }: SlipwayFunctionProps,
): Record<string, string> {
  const names = [...new Set([...variablesFor(access), ...own])].sort();
  const entries = names.flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { NODE_OPTIONS: '--enable-source-maps', ...Object.fromEntries(entries) };
}
