import { awsCall } from './aws-call.ts';
import type { Emulator } from './emulator.ts';

/** What a function says when its role does not suffice. */
const DENIED = /AccessDenied|not authorized to perform/;

/** Each line that says that something was not permitted. Throws when no function has logged anything. */
export async function complaintsOf(emulator: Emulator): Promise<string[]> {
  const lines = await linesOf(emulator);
  if (lines.length === 0) throw new Error('No function has logged anything');
  return lines.filter((line) => DENIED.test(line));
}

/** All lines of the functions' logs, each after its log group. */
export async function linesOf({ endpoint }: Emulator): Promise<string[]> {
  const logs = <T>(operation: string, input: object) =>
    awsCall<T>({ endpoint, service: 'logs', target: `Logs_20140328.${operation}`, input });
  const groups = await logs<{ logGroups: { logGroupName: string }[] }>('DescribeLogGroups', {
    logGroupNamePrefix: '/slipway/test/',
  });
  const lines = await Promise.all(
    groups.logGroups.map(async ({ logGroupName }) => {
      const { events } = await logs<{ events: { message: string }[] }>('FilterLogEvents', { logGroupName });
      return events.map(({ message }) => `${logGroupName}: ${message.trimEnd()}`);
    }),
  );
  return lines.flat();
}
