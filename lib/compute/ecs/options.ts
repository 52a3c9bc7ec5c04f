/** Where agents run in the account, as the infrastructure has made it. */
export type EcsOptions = {
  cluster: string;
  vpcId: string;
  subnets: readonly string[];
  securityGroups: readonly string[];
  /** Without a NAT gateway an image is fetched over a public address. */
  assignPublicIp: boolean;
  /** The listener of the balancer that all agents share. */
  listenerArn: string;
  executionRoleArn: string;
  /** What agents may do in the account; absent: nothing. */
  taskRoleArn?: string | undefined;
  /** The ARN of the item with an account at Docker Hub; absent: its images are fetched without one. */
  dockerHubSecret?: string | undefined;
  logGroupName: string;
  region: string;
  /** Names of secrets begin with it: one an environment. */
  secretPrefix: string;
  /** Where agents answer: `https://<distribution>`, without a slash at the end. */
  baseUrl: string;
  /** Where each agent has a host of its own: `agents.example.com`. */
  domain?: string | undefined;
};

export const CONTAINER = 'agent';
export const CONTAINER_PORT = 8000;
