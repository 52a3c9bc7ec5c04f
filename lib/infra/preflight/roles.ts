import {
  CreateServiceLinkedRoleCommand,
  GetRoleCommand,
  type IAMClient,
  InvalidInputException,
  NoSuchEntityException,
} from '@aws-sdk/client-iam';
import type { Question } from './check.ts';

/** Roles that services of AWS work with in an account. A new account has none of them. */
const serviceLinkedRoles = [
  { service: 'ecs.amazonaws.com', role: 'AWSServiceRoleForECS' },
  { service: 'elasticloadbalancing.amazonaws.com', role: 'AWSServiceRoleForElasticLoadBalancing' },
  {
    service: 'ecs.application-autoscaling.amazonaws.com',
    role: 'AWSServiceRoleForApplicationAutoScaling_ECSService',
  },
  { service: 'vpcorigin.cloudfront.amazonaws.com', role: 'AWSServiceRoleForCloudFrontVPCOrigin' },
] as const;

/** Whether the account has the roles that Fargate's deploy needs. `make`: what is not there is made. */
export const roleQuestions = (client: IAMClient, make: boolean): Question[] =>
  serviceLinkedRoles.map(({ service, role }) => ({
    what: role,
    needed: 'a role of AWS',
    ask: async () => {
      if (await isThere(client, role)) return { state: 'ok', there: 'there' };
      const command = `aws iam create-service-linked-role --aws-service-name ${service}`;
      if (!make)
        return { state: 'low', there: 'not there', advice: `a deploy makes it; by hand: ${command}` };
      const refused = await made(client, service);
      if (refused === undefined) return { state: 'ok', there: 'made' };
      return {
        state: 'low',
        there: 'not there',
        advice: `it could not be made (${refused}), and AWS may fail to when the stack is deployed. Have somebody with iam:CreateServiceLinkedRole run: ${command}`,
      };
    },
  }));

async function isThere(client: IAMClient, role: string): Promise<boolean> {
  try {
    await client.send(new GetRoleCommand({ RoleName: role }));
    return true;
  } catch (error) {
    if (error instanceof NoSuchEntityException) return false;
    throw error;
  }
}

/** Why it could not be made; undefined: it is there. */
async function made(client: IAMClient, service: string): Promise<string | undefined> {
  try {
    await client.send(new CreateServiceLinkedRoleCommand({ AWSServiceName: service }));
    return undefined;
  } catch (error) {
    // Somebody else has made it in between.
    if (error instanceof InvalidInputException && error.message.includes('has been taken')) return undefined;
    return error instanceof Error ? error.name : String(error);
  }
}
