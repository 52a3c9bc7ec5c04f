import { type Stack, Validations } from 'aws-cdk-lib';
import { NAG_PREFIX, shown } from '../nag-suppressions.ts';
import type { Platform } from '../platform.ts';

/** Findings of the security rules about agents that are meant to be so, each with its reason. */
export function suppressAgentFindings(stack: Stack, { arns, settings }: Platform): void {
  const { agents } = arns;
  const wildcard = (arn: string) => `IAM5[Resource::${shown(stack, arn, (name) => name)}]`;
  const atRunTime = [
    agents.services,
    agents.tasks,
    agents.taskDefinitions,
    agents.targetGroups,
    agents.listener,
    agents.listenerRules,
    agents.scalers,
    agents.alarms,
    agents.secrets,
    agents.logStreams,
  ];
  const reasons: [rule: string, reason: string][] = [
    ...atRunTime.map((arn): [string, string] => [
      wildcard(arn),
      'The driver makes these for each set of servers at run time; names, tags and the cluster say that they are of this installation.',
    ]),
    [
      wildcard(arns.repositories),
      'There is one repository a deployment, made at run time, and any of them may be started.',
    ],
    [
      'IAM5[Resource::*]',
      'Some actions know no resource: looking at networks, at the balancer and at alarms, deregistering and listing task definitions (they know no tag either), and the token of the registry; listing tasks is limited to the cluster by a condition.',
    ],
    [
      'VPC7',
      'A log of every connection would cost more than the balancer; servers are reached from it alone, and what they say goes to their own log.',
    ],
    [
      'ELB2',
      'Requests are those of agents, whose servers log them as they see fit; a second log by default would hold the addresses of their users.',
    ],
    ['ECS4', 'Container Insights costs more a month than a small agent; who wants it switches it on.'],
    // Only addresses that are known while it is deployed escape the rule.
    ...(settings.agentVpcId === undefined
      ? []
      : [
          [
            'EC23',
            'The balancer is open to the two subnets that it lies in, whose addresses the deploy asks for: the rule cannot read them, and no subnet is the internet.',
          ] satisfies [string, string],
        ]),
    ['CFR1', 'Agents answer everywhere their users are.'],
    ['CFR2', 'A firewall costs more a month than a small agent; who wants one attaches it.'],
    ['CFR3', 'As for the balancer: servers log requests as they see fit.'],
    [
      'CFR4',
      "Without agentsDomain the distribution has CloudFront's own certificate, with which it takes every version of TLS that CloudFront does.",
    ],
    [
      'CFR5',
      'What lies behind the front is a balancer in the same network, over HTTP; nothing of it leaves that network.',
    ],
  ];
  const validations = Validations.of(stack);
  for (const [rule, reason] of reasons) validations.acknowledge({ id: NAG_PREFIX + rule, reason });
}
