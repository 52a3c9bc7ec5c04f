import { Names, type Stack, Validations } from 'aws-cdk-lib';
import type { Platform } from './platform.ts';

export const NAG_PREFIX = 'AwsSolutions::AwsSolutions-';

/** Findings of the security rules that are meant to be so, each with its reason. */
export function suppressNagFindings(stack: Stack, { arns }: Platform): void {
  const wildcard = (arn: string) => `IAM5[Resource::${shown(stack, arn, (name) => name)}]`;
  const wildcardInAreas = (arn: string) =>
    `IAM5[Resource::${shown(stack, arn, (name) => nameInAreas(stack, name))}]`;
  const reasons: [rule: string, reason: string][] = [
    [
      'APIG4',
      'API keys and bearer tokens are verified in the handlers, by one chain that every route goes through and a test that tries each route without a key; the gateway has no authorizer because one would be a second place that decides.',
    ],
    [
      'CB4',
      'A build project has no artifacts of its own: what it makes is uploaded with an address that is good for one object, or pushed to a registry that encrypts by itself.',
    ],
    [
      'SF1',
      'Inputs and outputs of executions are ids only, and Step Functions keeps the history of each for 90 days; a second copy in CloudWatch would cost more than the executions.',
    ],
    [
      'SF2',
      'Each step writes structured logs with the revision id; sampling traces of minute-long waits would tell nothing more.',
    ],
    [
      'SQS3',
      'This queue is itself where records end up that the stream consumer could not handle; an alarm watches it.',
    ],
    [
      'IAM5[Resource::*]',
      'Some actions know no resource: ecr:GetAuthorizationToken, whose holder may do what the other statement of the role and the policy of the session say, both for repositories of deployments only; dynamodb:ListStreams, which tells names of streams and reads none; and, where agents run in the account, reading metrics and finding target groups by their names.',
    ],
    ...[
      `${arns.bucket}/pending/*`,
      `${arns.bucket}/pinned/*`,
      `${arns.bucket}/artifacts/*`,
      `${arns.jobsBucket}/builds/*`,
    ]
      .flatMap((objects) => [wildcard(objects), wildcardInAreas(objects)])
      .map((finding): [string, string] => [
        finding,
        `These objects are made at run time, one for each tenant, deployment and revision; a function serves all tenants, and the paths are made of ids that were looked up under the caller's tenant.`,
      ]),
    [
      wildcard(arns.repositories),
      'There is one repository a deployment, made at run time; sessions that push are limited to one of them, those that pull to those of one tenant.',
    ],
    [
      wildcard(arns.sockets),
      'A connection is named by API Gateway when a listener opens its socket; all are at the one stage of this API.',
    ],
    [
      wildcard(arns.executions),
      'An execution is named after its revision, made at run time; the role may only look at those of this one machine.',
    ],
  ];
  const validations = Validations.of(stack);
  for (const [rule, reason] of reasons) validations.acknowledge({ id: NAG_PREFIX + rule, reason });
}

type Joined = { 'Fn::Join': [string, (string | { Ref: string })[]] };

/** What a nested stack calls a parameter that it is handed. */
function nameInAreas(stack: Stack, name: string): string {
  const parameter = stack.node.tryFindChild(name);
  return parameter === undefined ? name : `referenceto${Names.uniqueId(parameter)}Ref`;
}

/** An ARN as the rules write it: `arn:<AWS::Partition>:s3:::…`. */
export function shown(stack: Stack, arn: string, named: (parameter: string) => string): string {
  // What ARNs of this stack resolve to: text, or text and references joined.
  const resolved = stack.resolve(arn) as string | Joined;
  if (typeof resolved === 'string') return resolved;
  const [separator, parts] = resolved['Fn::Join'];
  return parts.map((part) => (typeof part === 'string' ? part : `<${named(part.Ref)}>`)).join(separator);
}
