import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { EC2Client } from '@aws-sdk/client-ec2';
import { type Account, accountIn } from '../account.ts';
import { changed, type Given, givenIn, settingsOf } from '../settings.ts';
import { agentsAreDeployed } from './deployed.ts';
import { type Installed, readInstalled } from './installed.ts';
import { checkZones, chooseZones, zonesOf } from './zones.ts';

type Context = (name: string) => unknown;
type Say = (line: string) => void;

/**
 * The settings that hold: what the installation remembers, changed by the context. Where the CDK knows no
 * account (`cdk synth` offline) nothing is read, and the context is all. Throws when what is remembered
 * cannot be read, and when a change would replace the network under running agents.
 */
export async function settle(context: Context, variables: NodeJS.ProcessEnv, say: Say): Promise<Given> {
  const given = givenIn(context);
  const account = accountIn(variables);
  const { environment } = settingsOf(context('environment'), {});
  if (account === undefined) return changed({}, given);
  const installed = await readInstalled(account, environment);
  const missing = installed.unreadable.filter((name) => !(name in given));
  if (missing.length > 0)
    throw new Error(
      `These settings could not be read from the stacks of '${environment}'. Give each of them: ${missing.map((name) => `-c ${name}=…`).join(' ')}`,
    );
  const settled = await withZones(changed(installed.given, given), installed, account, environment);
  checkBoth(installed, settled, variables);
  for (const line of told(installed, settled, environment)) say(line);
  return settled;
}

/** The data stack remembers what the application is deployed with: a change needs both (see bin/cdk.sh). */
function checkBoth({ given: before }: Installed, settled: Given, variables: NodeJS.ProcessEnv): void {
  if (variables.SLIPWAY_CDK_COMMAND !== 'deploy' || variables.SLIPWAY_CDK_EXCLUSIVELY !== 'yes') return;
  const names = [...new Set([...Object.keys(before), ...Object.keys(settled)])];
  const different = names.filter((name) => settled[name] !== before[name]);
  if (different.length > 0)
    throw new Error(
      `--exclusively deploys one stack, and a change of ${different.join(', ')} is remembered in one and takes effect in the other. Deploy without --exclusively.`,
    );
}

/** What would make another network, and end the agents in the one that is there. */
const OF_THE_NETWORK = ['agentZones', 'agentCidr', 'agentVpcId', 'agentSubnets', 'balancerSubnets'];

/**
 * A first deploy of agents chooses their zones, or looks whether CloudFront reaches those that were given; no
 * later one changes them.
 */
async function withZones(
  settled: Given,
  { given: before }: Installed,
  account: Account,
  environment: string,
): Promise<Given> {
  if (settled.compute !== 'fargate') return settled;
  const moved = OF_THE_NETWORK.filter((name) => settled[name] !== before[name]);
  // It runs where it runs.
  if (before.compute === 'fargate' && moved.length === 0) return settled;
  if (before.compute === 'fargate' && (await agentsRun(account, environment))) {
    const [name = ''] = moved;
    throw new Error(
      `${name}=${settled[name] ?? 'none'}: agents run in a network with ${before[name] ?? 'its default'}, and another one would replace it under them. Deploy without ${name}; or delete the deployments, deploy with compute=none, and then with compute=fargate and ${name}.`,
    );
  }
  if (settled.agentVpcId !== undefined) return settled;
  const client = new EC2Client({ region: account.region });
  const zones = await zonesOf(client)
    .catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(
        `Which zones CloudFront reaches could not be found out (ec2:DescribeAvailabilityZones): ${why}`,
        { cause: error },
      );
    })
    .finally(() => client.destroy());
  if (settled.agentZones === undefined) return { ...settled, agentZones: chooseZones(zones) };
  checkZones(settled.agentZones.split(','), zones);
  return settled;
}

async function agentsRun({ region }: Account, environment: string): Promise<boolean> {
  const client = new CloudFormationClient({ region });
  return agentsAreDeployed(client, `slipway-${environment}`).finally(() => client.destroy());
}

/** Settings whose loss is noticed late, and what goes with them. */
const GRAVE: Readonly<Record<string, string>> = {
  compute: 'agents on Fargate are no longer part of the installation',
  domainName: 'the API answers at its own address again',
  oidcIssuer: 'bearer tokens are refused',
  oidcIssuers: 'tokens of these issuers are no longer exchanged for keys',
  tableName: 'the data stack works on a table of its own again',
};

/** What a deploy prints of its settings. */
export function told({ kind, given: before }: Installed, settled: Given, environment: string): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(settled)])].sort();
  const from = {
    remembered: 'remembered',
    deployed: 'read from its stacks, which remember none yet',
    absent: 'a first deploy',
  }[kind];
  const shown = names
    .filter((name) => settled[name] !== undefined)
    .map(
      (name) =>
        `${name}=${settled[name]}${settled[name] === before[name] ? '' : ` (was ${before[name] ?? 'its default'})`}`,
    );
  const lost = names.filter((name) => settled[name] === undefined);
  return [
    `Settings of ${environment} (${from}): ${shown.join(', ') || 'all at their defaults'}`,
    ...lost.map((name) => `Taken back: ${name}=${before[name]}${name in GRAVE ? `; ${GRAVE[name]}` : ''}`),
    ...(settled.removal === 'destroy' ? ['removal=destroy: the data is deleted with its stack'] : []),
  ];
}
