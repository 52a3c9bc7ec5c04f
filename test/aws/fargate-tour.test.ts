import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { DescribeLoadBalancersCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AGENT_HEADER } from '../../lib/contract/agent-front.ts';
import { childPath } from '../../lib/processes/environment.ts';
import { outputOf } from '../support/aws/cdk.ts';
import { openGateway } from '../support/aws/gateway.ts';
import { blocksOf } from '../support/pages/blocks.ts';
import { installPython, run } from '../support/programs/python-tools.ts';
import { say, timed } from '../support/run/progress.ts';
import { BuildService } from './builds.ts';
import { root } from './emulator.ts';
import { FargateAccount } from './fargate-account.ts';
import { closeGround, type Ground, openGround, variablesOf } from './installation.ts';
import { finishAsImage } from './play-builds.ts';

/**
 * The commands in the `sh` blocks of a page, in order, each as one line: without comments, and with those
 * parts joined that a backslash continues.
 */
const shellCommandsIn = (page: string): string[] =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) =>
      text
        .replaceAll(/ *\\\n\s*/g, ' ')
        .split('\n')
        .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
        .filter((line) => line !== ''),
    );

const TOUR_TIMEOUT_MS = 1_800_000;
vi.setConfig({ testTimeout: TOUR_TIMEOUT_MS });

const CERTIFICATE = 'arn:aws:acm:us-east-1:000000000000:certificate/01a2155c-c006-74c7-9b5e-e7cd24c6615b';

let ground: Ground;
/** What the commands before have printed, and what the page tells readers to put there. */
const variables: Record<string, string> = {};
const closing: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  ground = await openGround();
  // As an operator has it who is asked nothing, and no folder of this clone is written to.
  const settings = { requireApproval: 'never', output: join(ground.folder, 'cdk.out'), notices: false };
  await writeFile(join(ground.folder, '.cdk.json'), JSON.stringify(settings));
  await installPython(ground.processes, awsCli, [AWS_CLI]);
  variables.PATH = [join(awsCli, 'bin'), childPath(process.env.PATH)].join(delimiter);
  await follow('npm run cdk -- bootstrap');
});

afterAll(async () => {
  for (const close of closing) await close();
  expect(await closeGround(ground)).toEqual([]);
});

/** The AWS CLI, which readers have. */
const AWS_CLI = 'awscli==1.46.2';
const awsCli = join(root, 'node_modules/.cache/slipway-aws', AWS_CLI);

/** Runs a command as it stands on the page. */
const follow = (command: string): Promise<string> =>
  timed(command, () =>
    run(ground.processes, 'bash', ['-euo', 'pipefail', '-c', command], {
      environment: {
        ...variablesOf(ground.emulator),
        HOME: ground.folder,
        TMPDIR: ground.folder,
        ...variables,
      },
    }),
  );

/** Leads the programs of the tour, and its variables, to what was deployed. */
async function reach(printed: string): Promise<void> {
  const api = await openGateway(outputOf(printed, 'ApiUrl'));
  closing.push(api.close);
  const { LoadBalancers = [] } = await withAccount(({ elb }) =>
    elb.send(new DescribeLoadBalancersCommand({})),
  );
  const balancer = await openGateway(`http://${LoadBalancers[0]?.DNSName}:${ground.emulator.port}`);
  closing.push(balancer.close);
  Object.assign(variables, {
    SLIPWAY_URL: api.baseUrl,
    TABLE: outputOf(printed, 'TableName'),
    AGENTS_NETWORK: outputOf(printed, 'AgentsNetwork'),
    NODE_OPTIONS: `--import=${new URL('../support/aws/front-hook.mjs', import.meta.url).href}`,
    FRONT_HOST: new URL(outputOf(printed, 'AgentsUrl')).host,
    FRONT_BALANCER_URL: balancer.baseUrl,
    FRONT_HEADER: AGENT_HEADER,
  });
}

type Step = { command: RegExp; follow: (command: string) => Promise<void> };

/** What is seen of each command of the page. */
const steps: Step[] = [
  {
    command: /^npm run cdk -- deploy --all -c compute=fargate$/,
    follow: async (command) => reach(await follow(command)),
  },
  {
    command: /^npm run slipway -- first-agent --compute fargate /,
    follow: async (command) => {
      const builds = new BuildService(ground.emulator, 'prod');
      // A command that fails begins no build that could be waited for.
      const [printed] = await Promise.all([
        follow(command),
        builds.take().then((build) => finishAsImage(ground, builds, build)),
      ]);
      expect(printed).toMatch(new RegExp(`^It answers: https://${variables.FRONT_HOST}/d/\\S+/hello$`, 'm'));
      expect(printed).toMatch(/open to the internet/);
    },
  },
  {
    command: /^aws ec2 describe-security-groups .+\$AGENTS_NETWORK/,
    follow: async (command) => {
      const groups = new Map(
        (await follow(command)).split('\n').map((line) => {
          const [id = '', name = ''] = line.split('\t');
          return [name, id] as const;
        }),
      );
      const named = (part: string) => [...groups].find(([name]) => name.includes(part))?.[1] ?? '';
      variables.BALANCER_GROUP = named('BalancerGroup');
      variables.CLOUDFRONT_GROUP = named('CloudFront-VPCOrigins-Service-SG');
    },
  },
  {
    command: /^aws ec2 authorize-security-group-ingress --group-id \$BALANCER_GROUP /,
    follow: async (command) => {
      expect(await follow(command)).toContain(variables.CLOUDFRONT_GROUP);
    },
  },
  {
    command: / -c agentsDomain=\S+ -c agentsCertificateArn=\$CERTIFICATE$/,
    follow: async (command) => {
      variables.CERTIFICATE = CERTIFICATE;
      const record = outputOf(await follow(command), 'AgentsRecord');
      expect(record).toMatch(/^\*\.agents\.example\.com CNAME \S+\.cloudfront\.net$/);
    },
  },
  {
    command:
      / -c agentVpcId=\$VPC -c agentSubnets=\$AGENT_SUBNET_1,\S+ -c balancerSubnets=\$BALANCER_SUBNET_1,\S+$/,
    follow: async (command) => {
      const { id, subnets } = await withAccount((account) => account.makeNetwork());
      const [AGENT_SUBNET_1 = '', AGENT_SUBNET_2 = '', BALANCER_SUBNET_1 = '', BALANCER_SUBNET_2 = ''] =
        subnets;
      Object.assign(variables, {
        VPC: id,
        AGENT_SUBNET_1,
        AGENT_SUBNET_2,
        BALANCER_SUBNET_1,
        BALANCER_SUBNET_2,
      });
      // A network is chosen at the first deploy.
      const printed = await follow(`${command} -c environment=own`);
      expect(outputOf(printed, 'AgentsNetwork')).toBe(id);
      variables.AGENTS_SECURITY_GROUP = outputOf(printed, 'AgentsSecurityGroup');
    },
  },
  {
    command: /^aws ec2 authorize-security-group-ingress --group-id \$DATABASE_GROUP /,
    follow: async (command) => {
      const make =
        'aws ec2 create-security-group --group-name database --description databases --vpc-id $VPC --query GroupId --output text';
      variables.DATABASE_GROUP = (await follow(make)).trim();
      await follow(command);
      const rules = await follow(
        'aws ec2 describe-security-groups --group-ids $DATABASE_GROUP --output json',
      );
      expect(rules).toContain(variables.AGENTS_SECURITY_GROUP);
    },
  },
  {
    command: /^aws secretsmanager create-secret --name slipway-agents /,
    follow: async (command) => expect(await follow(command)).toContain('slipway-agents'),
  },
  {
    command: / -c agentSecrets=slipway-agents$/,
    follow: async (command) => {
      outputOf(await follow(command), 'AgentsUrl');
    },
  },
];

async function withAccount<T>(work: (account: FargateAccount) => Promise<T>): Promise<T> {
  const account = new FargateAccount(ground.emulator);
  try {
    return await work(account);
  } finally {
    account.close();
  }
}

it('docs/fargate.md can be followed, command by command', async () => {
  const commands = shellCommandsIn('docs/fargate.md');
  for (const command of commands) {
    const step = steps.find((one) => one.command.test(command));
    say(`$ ${command}`);
    expect({ command, isFollowed: step !== undefined }).toEqual({ command, isFollowed: true });
    await step?.follow(command);
  }
  expect(steps.filter(({ command }) => !commands.some((one) => command.test(one)))).toEqual([]);
});
