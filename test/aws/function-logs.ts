import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  FilterLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { clientConfig } from './aws-environment.ts';
import type { Emulator } from './emulator.ts';

/** What a function says when its role does not suffice. */
export const DENIED = /AccessDenied|not authorized to perform/;

/** Each line that says that something was not permitted. Throws when no function has logged anything. */
export async function complaintsOf(emulator: Emulator): Promise<string[]> {
  const lines = await linesOf(emulator);
  if (lines.length === 0) throw new Error('No function has logged anything');
  return lines.filter((line) => DENIED.test(line));
}

/** All lines of the functions' logs since then (epoch milliseconds), each after its log group. */
export async function linesOf(emulator: Emulator, since = 0): Promise<string[]> {
  const client = new CloudWatchLogsClient(clientConfig(emulator));
  const asked = new DescribeLogGroupsCommand({ logGroupNamePrefix: '/slipway/test/' });
  const { logGroups = [] } = await client.send(asked);
  const lines = await Promise.all(
    logGroups.map(async ({ logGroupName }) => {
      const { events = [] } = await client.send(
        new FilterLogEventsCommand({ logGroupName, startTime: since }),
      );
      return events.map(({ message = '' }) => `${logGroupName}: ${message.trimEnd()}`);
    }),
  );
  client.destroy();
  return lines.flat();
}
