import {
  type CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import * as z from 'zod';
import type { DeployedResource } from './from-templates.ts';

/** A creation that failed has left nothing but the stack's name. */
const EMPTY = ['ROLLBACK_COMPLETE', 'REVIEW_IN_PROGRESS', 'DELETE_COMPLETE'];

/** Whether a stack is there, with anything in it. */
export async function isDeployed(client: CloudFormationClient, stackName: string): Promise<boolean> {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    return Stacks.some(({ StackStatus = '' }) => !EMPTY.includes(StackStatus));
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/** CloudFormation has no error of its own for a stack that is not there. */
const isAbsence = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationError' && error.message.includes('does not exist');

const template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.record(z.string(), z.unknown()).optional(),
      DeletionPolicy: z.string().optional(),
    }),
  ),
});

export type DeployedStack = {
  /** Of the templates, those of nested stacks included. */
  resources: DeployedResource[];
  /** As they are in the account, likewise. */
  made: StackResourceSummary[];
};

/** What a stack and those in it were deployed with, and what they hold. */
export async function deployedStack(client: CloudFormationClient, stackName: string): Promise<DeployedStack> {
  const { TemplateBody = '' } = await client.send(
    new GetTemplateCommand({ StackName: stackName, TemplateStage: 'Original' }),
  );
  const { Resources } = template.parse(JSON.parse(TemplateBody));
  const made: StackResourceSummary[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: stackName }))
    made.push(...(page.StackResourceSummaries ?? []));
  const nested = made.flatMap(({ ResourceType, PhysicalResourceId }) =>
    ResourceType === 'AWS::CloudFormation::Stack' && PhysicalResourceId !== undefined
      ? [PhysicalResourceId]
      : [],
  );
  const inner = await Promise.all(nested.map((id) => deployedStack(client, id)));
  return {
    // Optional properties as zod gives them.
    resources: [
      ...Object.values(Resources).map(({ Type, Properties, DeletionPolicy }) => ({
        Type,
        ...(Properties !== undefined && { Properties }),
        ...(DeletionPolicy !== undefined && { DeletionPolicy }),
      })),
      ...inner.flatMap(({ resources }) => resources),
    ],
    made: [...made, ...inner.flatMap((stack) => stack.made)],
  };
}

/** Whether the stack has a network of agents in it. */
export async function agentsAreDeployed(client: CloudFormationClient, stackName: string): Promise<boolean> {
  if (!(await isDeployed(client, stackName))) return false;
  const { made } = await deployedStack(client, stackName);
  return made.some(({ ResourceType }) => ResourceType === 'AWS::ECS::Cluster');
}
