import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { EC2Client } from '@aws-sdk/client-ec2';
import { SSMClient } from '@aws-sdk/client-ssm';
import { type Account, checkIdentity } from '../account.ts';
import type { Given } from '../settings.ts';
import { deployedStack, isDeployed } from './deployed.ts';
import { settingsFromTemplates } from './from-templates.ts';
import { rememberedSettings, settingsParameter } from './parameter.ts';
import { deployedZones } from './zones.ts';

/** What an account holds of an installation. */
export type Installed = {
  /** `absent`: there is none. `deployed`: by a release that remembered nothing, and read from its stacks. */
  kind: 'remembered' | 'deployed' | 'absent';
  given: Given;
  /** What could not be read from the stacks, so that somebody has to give it. */
  unreadable: string[];
};

/**
 * Reads what an installation was last deployed with. Throws when that cannot be found out: to go on without
 * would take away what nobody has mentioned.
 */
export async function readInstalled(account: Account, environment: string): Promise<Installed> {
  try {
    await checkIdentity(account);
    return await readAs(account, environment);
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error);
    throw new Error(notRead(account, environment, reason), { cause: error });
  }
}

const notRead = ({ id, region }: Account, environment: string, reason: string): string =>
  [
    `The settings of the installation '${environment}' in account ${id}, ${region}, could not be read, so nothing is made or changed: ${reason}`,
    '- The CDK does not hand --profile on to its app: use `npm run cdk -- …`, which does, or set AWS_PROFILE.',
    `- The credentials need sts:GetCallerIdentity, ssm:GetParameter on ${settingsParameter(environment)} and, before the first deploy of a release that remembers settings, cloudformation:DescribeStacks, GetTemplate, ListStackResources and ec2:DescribeSubnets.`,
  ].join('\n');

async function readAs({ region }: Account, environment: string): Promise<Installed> {
  const [parameters, stacks, network] = [
    new SSMClient({ region }),
    new CloudFormationClient({ region }),
    new EC2Client({ region }),
  ];
  try {
    const remembered = await rememberedSettings(parameters, environment);
    if (remembered !== undefined) return { kind: 'remembered', given: remembered, unreadable: [] };
    return await readStacks(stacks, network, environment);
  } finally {
    for (const client of [parameters, stacks, network]) client.destroy();
  }
}

/** The data stack and, where it was not destroyed, the application. */
async function readStacks(
  stacks: CloudFormationClient,
  network: EC2Client,
  environment: string,
): Promise<Installed> {
  const names = [`slipway-${environment}-data`, `slipway-${environment}`];
  const there = await Promise.all(names.map((name) => isDeployed(stacks, name)));
  const found = await Promise.all(
    names.filter((_, index) => there[index] === true).map((name) => deployedStack(stacks, name)),
  );
  if (found.length === 0) return { kind: 'absent', given: {}, unreadable: [] };
  const { given, unreadable } = settingsFromTemplates(
    environment,
    found.flatMap(({ resources }) => resources),
  );
  const zones = await deployedZones(
    network,
    found.flatMap(({ made }) => made),
  );
  return {
    kind: 'deployed',
    given: { ...given, ...(zones !== undefined && { agentZones: zones }) },
    unreadable,
  };
}
