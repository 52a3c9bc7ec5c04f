/** Where the templates are meant to be as a linter would not have them. */
export type Meant = {
  /** A rule of cfn-lint or checkov. */
  rule: string;
  /** The resources: stack and logical id, such as `root/TriggersSetAside`. */
  at: RegExp;
} & (
  | { because: string }
  | { /** cdk-nag has the same rule, and its reason stands in the code. */ as: string }
);

/** Those of the CDK itself included, which empties buckets. */
const FUNCTION = /Function|ProviderHandler/;

/** Every finding has a row, and every row a finding. */
export const meant: readonly Meant[] = [
  {
    rule: 'E3601',
    at: /^root\/WorkflowStateMachine/,
    because:
      'The partition is filled in by DefinitionSubstitutions, which cfn-lint does not follow into an ARN; each placeholder has a test.',
  },
  {
    rule: 'W3005',
    at: FUNCTION,
    because:
      'The CDK writes for each function that it depends on its role, which follows from naming it too.',
  },
  {
    rule: 'CKV_AWS_115',
    at: FUNCTION,
    because:
      'What is reserved for one function is taken from all others, and a new account has ten: engineConcurrency reserves it for what brings revisions forward.',
  },
  {
    rule: 'CKV_AWS_116',
    at: FUNCTION,
    because:
      'Who called gets the error, or calls again: requests, states and the stream, whose records go to a queue after five attempts. What an event would have told, the sweep finds out.',
  },
  {
    rule: 'CKV_AWS_117',
    at: FUNCTION,
    because:
      'Functions call AWS, and git hosts and webhooks outside of it: in a network they would need a NAT gateway, at $33 a month. Roles say what they may do.',
  },
  {
    rule: 'CKV_AWS_173',
    at: FUNCTION,
    because:
      'Variables are names and limits, no secrets. Lambda encrypts them with its own key; under another one each role could use that key.',
  },
  {
    rule: 'CKV_AWS_158',
    at: /Log/,
    because:
      'CloudWatch encrypts logs with its own key. A key of ours would add a request of KMS to each batch of lines, and who may read logs would have to be let use it.',
  },
  {
    rule: 'CKV_AWS_27',
    at: /^root\/TriggersSetAside/,
    because:
      'SQS encrypts every new queue with a key of its own. The queue holds keys of items, and no secrets.',
  },
  {
    rule: 'CKV_AWS_26',
    at: /^root\/ObservabilityAlarms/,
    because:
      'Messages are names and states of alarms. CloudWatch cannot send to a topic under the key of SNS, and a key of its own costs a dollar a month.',
  },
  {
    rule: 'CKV_AWS_18',
    at: /^data\/StorageAccessLogs/,
    because: 'This bucket holds the access logs of the other two: logs of its own would be about themselves.',
  },
  {
    rule: 'CKV_AWS_21',
    at: /^data\/Storage(AccessLogs|Jobs)/,
    because:
      'Nothing in these two is written twice, nor wanted back: access logs, and jobs that a build deletes.',
  },
  { rule: 'CKV_AWS_95', at: /^root\/DoorbellStage/, as: 'APIG1' },
];

/** What `compute=fargate` adds. */
export const meantOnFargate: readonly Meant[] = [
  { rule: 'CKV_AWS_2', at: /^Agents\/FrontBalancerListener/, as: 'CFR5' },
  { rule: 'CKV_AWS_103', at: /^Agents\/FrontBalancerListener/, as: 'CFR5' },
  { rule: 'CKV_AWS_174', at: /^Agents\/FrontDistribution/, as: 'CFR4' },
  { rule: 'CKV_AWS_68', at: /^Agents\/FrontDistribution/, as: 'CFR2' },
  { rule: 'CKV_AWS_86', at: /^Agents\/FrontDistribution/, as: 'CFR3' },
  { rule: 'CKV_AWS_91', at: /^Agents\/FrontBalancer/, as: 'ELB2' },
  { rule: 'CKV_AWS_65', at: /^Agents\/ServersCluster/, as: 'ECS4' },
];
