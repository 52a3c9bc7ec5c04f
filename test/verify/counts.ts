import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { paginateDescribeLogGroups, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { BatchGetBuildsCommand, paginateListBuildsForProject } from '@aws-sdk/client-codebuild';
import {
  paginateGetExecutionHistory,
  paginateListExecutions,
  paginateListStateMachines,
} from '@aws-sdk/client-sfn';
import type { Units } from '../support/table/consumed.ts';
import type { Account } from './account.ts';
import { all } from './pages.ts';

/** Something that AWS sends a bill for, and when it was (epoch, milliseconds). */
export type Counted = { at: number } & (
  | { kind: 'call'; isRequest: boolean; billedMilliseconds: number }
  | { kind: 'transition' }
  | { kind: 'build'; minutes: number }
);

const BILLED = /^REPORT RequestId:.*Billed Duration: (\d+(?:\.\d+)?) ms/;
const BUILDS_A_CALL = 100;
const UNITS_PERIOD_SECONDS = 300;

/**
 * What an environment's functions, state machine and builds have done since a time (epoch, milliseconds).
 * Logs and histories go with the stack: count before it is destroyed.
 */
export async function countOf(account: Account, environment: string, since: number): Promise<Counted[]> {
  return [
    ...(await callsOf(account, environment, since)),
    ...(await transitionsOf(account, environment)),
    ...(await buildsOf(account, environment)),
  ].filter(({ at }) => at >= since);
}

/** Lambda writes a line for each call that it bills. */
async function callsOf({ clients }: Account, environment: string, since: number): Promise<Counted[]> {
  const client = clients.logs;
  const prefix = `/slipway/${environment}/`;
  const groups = paginateDescribeLogGroups({ client }, { logGroupNamePrefix: prefix });
  const found: Counted[] = [];
  for (const { logGroupName } of await all(groups, (page) => page.logGroups)) {
    const asked = { logGroupName, startTime: since, filterPattern: '"REPORT RequestId"' };
    const lines = await all(paginateFilterLogEvents({ client }, asked), (page) => page.events);
    const isRequest = logGroupName === `${prefix}api`;
    found.push(
      ...lines.flatMap(({ timestamp: at = 0, message = '' }): Counted[] => {
        const [, billed] = BILLED.exec(message) ?? [];
        return billed === undefined
          ? []
          : [{ at, kind: 'call', isRequest, billedMilliseconds: Number(billed) }];
      }),
    );
  }
  return found;
}

/** Each state that was entered, and the start and the end of an execution. */
async function transitionsOf({ clients }: Account, environment: string): Promise<Counted[]> {
  const client = clients.executions;
  const machines = await all(paginateListStateMachines({ client }, {}), (page) => page.stateMachines);
  const own = machines.find(({ name }) => name === `slipway-${environment}-revision`);
  if (own === undefined) return [];
  const { stateMachineArn } = own;
  const listed = paginateListExecutions({ client }, { stateMachineArn });
  const found: Counted[] = [];
  for (const { executionArn } of await all(listed, (page) => page.executions)) {
    const history = await all(
      paginateGetExecutionHistory({ client }, { executionArn }),
      (page) => page.events,
    );
    const counting = history.filter(({ type = '' }) => /StateEntered$|^Execution/.test(type));
    found.push(
      ...counting.map(({ timestamp }): Counted => ({ at: timestamp?.getTime() ?? 0, kind: 'transition' })),
    );
  }
  return found;
}

/** A build is billed by minutes that have begun, from its provisioning on. */
async function buildsOf({ clients }: Account, environment: string): Promise<Counted[]> {
  const client = clients.builds;
  const listed = paginateListBuildsForProject({ client }, { projectName: `slipway-${environment}-builds` });
  const ids = await all(listed, (page) => page.ids);
  const found: Counted[] = [];
  for (let first = 0; first < ids.length; first += BUILDS_A_CALL) {
    const some = new BatchGetBuildsCommand({ ids: ids.slice(first, first + BUILDS_A_CALL) });
    const { builds = [] } = await client.send(some);
    found.push(
      ...builds.map(({ startTime, endTime }): Counted => {
        const at = startTime?.getTime() ?? 0;
        return { at, kind: 'build', minutes: Math.ceil(((endTime?.getTime() ?? Date.now()) - at) / 60_000) };
      }),
    );
  }
  return found;
}

/** What a table has consumed between two times (epoch, milliseconds), as far as CloudWatch has heard of it. */
export async function unitsOf(
  { clients }: Account,
  tableName: string,
  [from, to]: readonly [number, number],
): Promise<Units> {
  const sum = async (MetricName: string) => {
    const asked = new GetMetricStatisticsCommand({
      Namespace: 'AWS/DynamoDB',
      MetricName,
      Dimensions: [{ Name: 'TableName', Value: tableName }],
      StartTime: new Date(from),
      EndTime: new Date(to),
      Period: UNITS_PERIOD_SECONDS,
      Statistics: ['Sum'],
    });
    const { Datapoints = [] } = await clients.alarms.send(asked);
    return Datapoints.reduce((total, { Sum = 0 }) => total + Sum, 0);
  };
  return { reads: await sum('ConsumedReadCapacityUnits'), writes: await sum('ConsumedWriteCapacityUnits') };
}
