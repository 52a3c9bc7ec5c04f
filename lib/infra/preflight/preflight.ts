import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudFrontClient, ListDistributionsCommand } from '@aws-sdk/client-cloudfront';
import { EC2Client, paginateDescribeVpcs } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { type Account, checkIdentity } from '../account.ts';
import { agentsAreDeployed } from '../remembered/deployed.ts';
import { chooseZones, isReached, type Zone, zonesOf } from '../remembered/zones.ts';
import type { Settings } from '../settings.ts';
import { answers, type Check, type CheckAnswer, type Question } from './check.ts';
import { concurrencyQuestion } from './lambda.ts';
import { buildQuestion, vcpuQuestion, vpcQuestion } from './quotas.ts';
import { roleQuestions } from './roles.ts';

/** What the CDK's bootstrap must have brought for the stacks to be deployed with its roles. */
const BOOTSTRAP_MIN = 6;
const BOOTSTRAP_PARAMETER = '/cdk-bootstrap/hnb659fds/version';

type Clients = ReturnType<typeof clientsOf>;

const clientsOf = ({ region }: Account) => ({
  fronts: new CloudFrontClient({ region }),
  functions: new LambdaClient({ region }),
  network: new EC2Client({ region }),
  parameters: new SSMClient({ region }),
  quotas: new ServiceQuotasClient({ region }),
  roles: new IAMClient({ region }),
  stacks: new CloudFormationClient({ region }),
});

/**
 * Asks an account for what a deploy with these settings needs of it. `make`: roles of AWS that are not there
 * are made.
 */
export async function preflight(account: Account, settings: Settings, make: boolean): Promise<Check[]> {
  const clients = clientsOf(account);
  try {
    const questions = [
      identityQuestion(account),
      bootstrapQuestion(clients),
      concurrencyQuestion(clients.functions, settings),
      buildQuestion(clients.quotas, settings.buildCompute, settings.buildsAtOnceMax),
      ...(settings.compute === 'fargate' ? agentQuestions(clients, settings, make) : []),
      mailQuestion(settings),
    ];
    return await answers(questions);
  } finally {
    for (const client of Object.values(clients)) client.destroy();
  }
}

/** The first line of the table: where all this is. */
const identityQuestion = (account: Account): Question => ({
  what: 'account and region',
  needed: 'those of your credentials',
  ask: async () => {
    await checkIdentity(account);
    return { state: 'ok', there: `${account.id} ${account.region}` };
  },
});

const bootstrapQuestion = ({ parameters }: Clients): Question => ({
  what: "the CDK's bootstrap",
  needed: `version ${BOOTSTRAP_MIN}`,
  ask: async () => {
    const advice = 'npm run cdk -- bootstrap   # once for an account and region';
    try {
      const { Parameter } = await parameters.send(new GetParameterCommand({ Name: BOOTSTRAP_PARAMETER }));
      const version = Number(Parameter?.Value);
      const there = `version ${version}`;
      return version >= BOOTSTRAP_MIN ? { state: 'ok', there } : { state: 'lack', there, advice };
    } catch (error) {
      if (error instanceof ParameterNotFound) return { state: 'lack', there: 'none', advice };
      throw error;
    }
  },
});

const mailQuestion = ({ alarmEmail }: Settings): Question => ({
  what: 'an address for alarms',
  needed: 'alarmEmail',
  ask: async () =>
    alarmEmail === undefined
      ? {
          state: 'low',
          there: 'none',
          advice: 'nobody hears of alarms. Deploy with -c alarmEmail=you@example.com',
        }
      : { state: 'ok', there: alarmEmail },
});

function agentQuestions(clients: Clients, settings: Settings, make: boolean): Question[] {
  const { network, quotas, roles, stacks } = clients;
  /** A network that is there needs no other one. */
  const isThere = agentsAreDeployed(stacks, `slipway-${settings.environment}`);
  // Whoever asks for it first is told; nobody may.
  isThere.catch(() => undefined);
  const vpcs = async () => {
    let count = 0;
    for await (const { Vpcs = [] } of paginateDescribeVpcs({ client: network }, {})) count += Vpcs.length;
    return count;
  };
  const vpc = vpcQuestion(quotas, vpcs);
  return [
    {
      ...vpc,
      ask: async () =>
        settings.agentVpcId !== undefined || (await isThere)
          ? { state: 'ok', there: settings.agentVpcId ?? 'has its own' }
          : vpc.ask(),
    },
    zonesQuestion(clients, settings, isThere),
    vcpuQuestion(quotas),
    ...roleQuestions(roles, make),
    frontQuestion(clients),
  ];
}

const zonesQuestion = (
  { network }: Clients,
  { agentZones, agentVpcId }: Settings,
  isThere: Promise<boolean>,
): Question => ({
  what: 'zones that CloudFront reaches',
  needed: '2',
  ask: async () => {
    if (agentVpcId !== undefined) return { state: 'ok', there: `those of ${agentVpcId}` };
    const zones = await zonesOf(network);
    if (agentZones !== undefined && (await isThere)) return whereAgentsAre(agentZones, zones);
    const reached = zones.filter(isReached).map(({ name }) => name);
    try {
      chooseZones(zones);
    } catch (error) {
      return {
        state: 'lack',
        there: String(reached.length),
        advice: error instanceof Error ? error.message : String(error),
      };
    }
    return { state: 'ok', there: agentZones?.join(' ') ?? reached.join(' ') };
  },
});

/** A release that looked for no zones may have put agents where CloudFront does not reach them. */
function whereAgentsAre(agentZones: readonly string[], zones: readonly Zone[]): CheckAnswer {
  const there = agentZones.join(' ');
  const unreached = zones.filter((zone) => agentZones.includes(zone.name) && !isReached(zone));
  if (unreached.length === 0) return { state: 'ok', there };
  const named = unreached.map(({ name, id }) => `${name} (${id})`).join(', ');
  return {
    state: 'low',
    there,
    advice: `CloudFront does not reach ${named}, so that agents may answer 504. A deploy leaves them where they are; docs/fargate.md says under Zones how to move them`,
  };
}

/** AWS says so only when a distribution is made: nothing that can be asked before tells it. */
const frontQuestion = ({ fronts }: Clients): Question => ({
  what: 'CloudFront',
  needed: 'an account that AWS has verified',
  ask: async () => {
    const { DistributionList } = await fronts.send(new ListDistributionsCommand({ MaxItems: 1 }));
    if ((DistributionList?.Quantity ?? 0) > 0) return { state: 'ok', there: 'has distributions' };
    return {
      state: 'low',
      there: 'no distribution yet',
      advice:
        "AWS may refuse an account's first one ('Your account must be verified before you can add new CloudFront resources'). That is no fault of the stack: open a case with AWS Support under Account and billing, and deploy again when it is answered",
    };
  },
});
