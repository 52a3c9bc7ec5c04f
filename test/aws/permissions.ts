import type { Emulator } from './emulator.ts';

/** What no run here can use, whatever it does, and why. */
const unusable: { actions: RegExp; because: string }[] = [
  {
    actions: /^logs:(CreateLogStream|PutLogEvents)$/,
    because: 'The emulator writes the logs of functions itself, not with their roles.',
  },
  {
    actions: /^(dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams)|sqs:SendMessage)$/,
    because: 'The emulator reads streams, and sets records aside, without asking the role.',
  },
];

/** Each action that a role grants and its function never used, as `function action`: without it nothing would have failed. */
export async function unusedPermissions(emulator: Emulator): Promise<string[]> {
  const permissions = Object.entries(await emulator.permissions());
  if (permissions.length === 0) throw new Error('No function has used any permission');
  return permissions.flatMap(([name, { granted, used }]) =>
    granted
      .filter((action) => !used.includes(action) && !unusable.some(({ actions }) => actions.test(action)))
      .map((action) => `${name.replace('slipway-test-', '')} ${action}`),
  );
}
