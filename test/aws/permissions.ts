import { routes } from '../../lib/contract/routes/index.ts';
import { accessOf } from '../../lib/contract/routes/route.ts';
import { kebab } from '../../lib/infra/platform.ts';
import type { Emulator } from './emulator.ts';

/** Functions that query nothing for themselves. */
const asking = routes
  .filter(
    (row) => !row.access.some((word) => word === 'table:query') && accessOf(row).includes('table:query'),
  )
  .map(({ operation }) => kebab(operation));

/** `function action` that no run here can use, whatever it does, and why; other tests take these ways. */
const unusable: { permissions: RegExp; because: string }[] = [
  {
    permissions: new RegExp(`^(${asking.join('|')}) dynamodb:Query$`),
    because:
      'The only tenant of a bearer is looked up, and no issuer is here: test/integration/http/security.',
  },
  {
    permissions: /^exchange-token dynamodb:(GetItem|Query|PutItem|UpdateItem|ConditionCheckItem)$/,
    because:
      'A token that is exchanged has to be signed by an issuer, and none is here: test/integration/token-rules.',
  },
  {
    permissions: / logs:(CreateLogStream|PutLogEvents)$/,
    because: 'The emulator writes the logs of functions itself, not with their roles.',
  },
  {
    permissions: / (dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams)|sqs:SendMessage)$/,
    because: 'The emulator reads streams, and sets records aside, without asking the role.',
  },
  {
    permissions: /^(patch-deployment|create-revision|prepare) s3:ListBucket$/,
    because: 'No call: with it AWS answers 404 for what is not there, without it 403.',
  },
  {
    permissions: /^(dispatch|sweep) (codebuild:BatchGetBuilds|ecr:DescribeImages)$/,
    because:
      'Builds are asked how they are when their events do not come for minutes: test/workflow/recovery.',
  },
  {
    permissions: /^build(-changed)? codebuild:StopBuild$/,
    because:
      'A build is stopped there when an interrupt comes between its start and the note of it: test/workflow, test/integration/engine/record-build.',
  },
  {
    permissions: /^(dispatch|sweep) codebuild:StopBuild$/,
    because:
      'A build is stopped there when it is over its time, or its execution died or was aborted: test/workflow.',
  },
  {
    permissions: /^build dynamodb:DeleteItem$/,
    because: 'A token is forgotten there while no build can start, and here every build can: test/workflow.',
  },
  {
    permissions: /^build s3:GetObject$/,
    because: 'An upload is read by its version; without one only where the bucket has none.',
  },
  {
    permissions:
      /^(discover-provider (dynamodb:(PutItem|Query)|kms:GenerateDataKey)|delete-tokens? (dynamodb:UpdateItem|kms:Decrypt)|get-connection-token kms:GenerateDataKey|revocations (dynamodb:(GetItem|UpdateItem|DeleteItem)|kms:Decrypt))$/,
    because:
      'What an OAuth provider has to answer first; none is reached from here. test/integration/oauth does.',
  },
  {
    permissions:
      /^((authenticate|callback|callback-page|complete-consent) kms:GenerateDataKey|(callback|callback-page|complete-consent) dynamodb:Query|complete-consent (dynamodb:UpdateItem|kms:Decrypt)|wait-for-consent kms:Decrypt)$/,
    because: 'A consent that a provider has granted, for which it would have to be reached, too.',
  },
  {
    permissions:
      /^(heads (dynamodb:(GetItem|PutItem|UpdateItem|DeleteItem)|kms:Decrypt)|finish kms:Decrypt)$/,
    because:
      'What a repository behind https has to answer, and a host that takes statuses; none is reached from here: test/integration/pushes.',
  },
  {
    permissions: /^drive (ecs|secretsmanager):TagResource$/,
    because: 'AWS asks for it when something is made with tags; the emulator does not.',
  },
  {
    permissions:
      /^drive (iam:(PassRole|CreateServiceLinkedRole)|cloudwatch:(DescribeAlarms|PutMetricAlarm|DeleteAlarms))$/,
    because: 'What services of AWS do in the name of the caller: the emulator asks nobody for it.',
  },
  {
    permissions: /^find-network ec2:Describe(Subnets|InternetGateways)$/,
    because: 'A network that was there before has to be given: test/unit/adapters/networks.',
  },
  {
    permissions: /^claim-tasks dynamodb:(PutItem|DeleteItem|ConditionCheckItem)$/,
    because:
      'What runs is reported with claims by who is rung, and listeners find no host of the emulator for their sockets. report-status does the same with the same permissions.',
  },
  {
    permissions: /^(ring|socket) execute-api:ManageConnections$/,
    because: 'The emulator lets everybody send over sockets, and close them.',
  },
  {
    permissions: /^(ring dynamodb:(UpdateItem|DeleteItem)|socket dynamodb:UpdateItem)$/,
    because:
      'A socket is forgotten by whoever first notices that it has closed: test/integration/listener-protocol/doorbell.',
  },
];

/** Both run the same engine: what one of them did the other may have to do. */
const SAME_ENGINE = ['dispatch', 'sweep'];

/** What the role of a function grants, but for what no run here can use. */
export async function usablePermissions(emulator: Emulator, name: string): Promise<string[]> {
  const { granted = [] } = (await emulator.permissions())[`slipway-test-${name}`] ?? {};
  return granted.filter((action) => isUsable(`${name} ${action}`));
}

const isUsable = (permission: string): boolean =>
  !unusable.some(({ permissions: known }) => known.test(permission));

/**
 * Each action that a role grants and its function never used, as `function action`: without it nothing would
 * have failed.
 */
export async function unusedPermissions(emulator: Emulator): Promise<string[]> {
  const permissions = Object.entries(await emulator.permissions()).map(
    ([name, found]) => [name.replace('slipway-test-', ''), found] as const,
  );
  if (permissions.length === 0) throw new Error('No function has used any permission');
  const usedBy = (name: string): string[] => {
    const names = SAME_ENGINE.includes(name) ? SAME_ENGINE : [name];
    return permissions.filter(([each]) => names.includes(each)).flatMap(([, { used }]) => used);
  };
  return permissions.flatMap(([name, { granted }]) => {
    const used = new Set(usedBy(name));
    return granted
      .filter((action) => !used.has(action))
      .map((action) => `${name} ${action}`)
      .filter(isUsable);
  });
}
