import { GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeTasksCommand, ListTasksCommand, type Task } from '@aws-sdk/client-ecs';
import { DescribeTargetHealthCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { isOnDockerHub } from '../../contract/images/docker-hub.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { AgentFailure } from '../../domain/agent-failure.ts';
import { type Aws, unless } from './clients.ts';
import type { AccountSet } from './look.ts';
import { serviceName, tags } from './names.ts';
import { CONTAINER, CONTAINER_PORT } from './options.ts';

/** ECS starts a server again however often it ends: one end may be an accident. */
const ENDS_MAX = 2;
const OUTPUT_LINES = 30;
/** As many as one call lists and one describes. */
const TASKS_MAX = 100;

/** Why servers of a set are missing: what its tasks say, then its service, then the balancer. */
export async function failureInAccount(
  aws: Aws,
  place: DeploymentRef,
  set: AccountSet,
): Promise<AgentFailure | undefined> {
  const stopped = await stoppedTasks(aws, serviceName(place, set.key), set.service?.createdAt);
  return (
    (await failureOfTasks(aws, place, set, stopped)) ??
    failureOfPlacing(set) ??
    (await failureOfHealth(aws, set))
  );
}

/** The newest first. A service that was deleted may have had the same name, and its tasks are no news. */
async function stoppedTasks(
  { ecs, options: { cluster } }: Aws,
  service: string,
  since: Date | undefined,
): Promise<Task[]> {
  const listed = await unless(
    ecs.send(
      new ListTasksCommand({
        cluster,
        serviceName: service,
        desiredStatus: 'STOPPED',
        maxResults: TASKS_MAX,
      }),
    ),
    'ServiceNotFoundException',
  );
  const arns = listed?.taskArns ?? [];
  if (arns.length === 0) return [];
  const { tasks = [] } = await ecs.send(new DescribeTasksCommand({ cluster, tasks: arns }));
  return tasks
    .filter(({ createdAt }) => since === undefined || createdAt === undefined || createdAt >= since)
    .toSorted((one, other) => timeOf(other) - timeOf(one));
}

const timeOf = ({ stoppedAt }: Task): number => stoppedAt?.getTime() ?? 0;

async function failureOfTasks(
  aws: Aws,
  place: DeploymentRef,
  set: AccountSet,
  stopped: readonly Task[],
): Promise<AgentFailure | undefined> {
  const [newest] = stopped;
  if (newest === undefined) return undefined;
  const container = newest.containers?.find(({ name }) => name === CONTAINER);
  const said = reasonOf(newest);
  const image = container?.image ?? '';
  const unfetched = failureOfFetching(aws, { image, platform: set.tags[tags.platform] ?? '' }, said);
  // A registry may be slow once, and a right that was just given is not known everywhere.
  if (unfetched?.kind === 'no_way_out' && countOf(stopped, isUnreached) < ENDS_MAX) return undefined;
  if (unfetched?.kind === 'secrets_unreadable' && countOf(stopped, isUnread) < ENDS_MAX) return undefined;
  if (unfetched !== undefined) return unfetched;
  if (said.includes('OutOfMemory'))
    return { kind: 'out_of_memory', limitField: 'memory_mb', limitMb: Number(newest.memory ?? 0) };
  const exitCode = container?.exitCode;
  // What we have stopped ourselves says nothing.
  const ended = stopped.filter(({ stopCode }) => stopCode === 'EssentialContainerExited');
  if (exitCode === undefined || ended.length < ENDS_MAX) return undefined;
  return { kind: 'exited', exitCode, times: ended.length, output: await lastWords(aws, place, set, ended) };
}

const countOf = (stopped: readonly Task[], says: (said: string) => boolean): number =>
  stopped.map(reasonOf).filter(says).length;

function reasonOf({ stoppedReason, containers = [] }: Task): string {
  const container = containers.find(({ name }) => name === CONTAINER);
  return [stoppedReason, container?.reason].filter(Boolean).join(' ');
}

// In the words of ECS, which has no codes for them.
const OF_PULLING = /CannotPull(?:Container|Image)/i;
const OF_STARTING = /CannotPull|ResourceInitializationError/i;
const PLATFORM = /descriptor matching platform|no match(?:ing manifest)? for platform|exec format error/i;
const ACCESS = /denied|unauthorized|authorization|no basic auth|\b40[13]\b/i;
const MISSING = /not found|manifest unknown|does not exist/i;
const TOO_MANY = /toomanyrequests|rate limit|\b429\b/i;
const OF_SECRETS = /unable to (?:pull|retrieve) secret/i;
const UNREACHABLE = /time-?out|deadline exceeded|dial tcp|no route/i;

const isUnreached = (said: string): boolean => OF_STARTING.test(said) && UNREACHABLE.test(said);

const isUnread = (said: string): boolean => OF_STARTING.test(said) && OF_SECRETS.test(said);

/** A registry says of an image which it does not show that it may not exist: access comes first. */
function failureOfFetching(
  { options }: Aws,
  { image, platform }: { image: string; platform: string },
  said: string,
): AgentFailure | undefined {
  if (PLATFORM.test(said))
    return { kind: 'image_platform', image, found: 'another platform', wanted: platform };
  if (isUnreached(said)) return { kind: 'no_way_out', subnet: options.subnets.join(', ') };
  if (isUnread(said)) return { kind: 'secrets_unreadable', said };
  if (!OF_PULLING.test(said)) return undefined;
  const hasAccount = options.dockerHubSecret !== undefined && isOnDockerHub(image);
  const account = { pullSecrets: undefined, ...(hasAccount && { setting: 'dockerHubSecret' }) };
  if (TOO_MANY.test(said)) return { kind: 'pull_limit', image, said, ...account };
  if (ACCESS.test(said)) return { kind: 'registry_access', image, ...account };
  return MISSING.test(said) ? { kind: 'image_missing', image } : undefined;
}

/** Of the newest that is known to have said something: what the last one wrote may still be on its way. */
async function lastWords(
  aws: Aws,
  place: DeploymentRef,
  set: AccountSet,
  ended: readonly Task[],
): Promise<string[]> {
  for (const task of ended.slice(0, ENDS_MAX)) {
    const said = await outputOf(aws, place, set, task);
    if (said.length > 0) return said;
  }
  return [];
}

async function outputOf(
  { logs, options }: Aws,
  place: DeploymentRef,
  set: AccountSet,
  task: Task,
): Promise<string[]> {
  const id = task.taskArn?.split('/').at(-1) ?? '';
  const { tenantId, deploymentId } = place;
  const command = new GetLogEventsCommand({
    logGroupName: options.logGroupName,
    logStreamName: `${tenantId}/${deploymentId}/${set.tags[tags.startedFor] ?? ''}/${CONTAINER}/${id}`,
    limit: OUTPUT_LINES,
    startFromHead: false,
  });
  const answer = await unless(logs.send(command), 'ResourceNotFoundException');
  return (answer?.events ?? []).flatMap(({ message }) => message ?? []);
}

/** What the service said last, if that is that it could not place a server. */
function failureOfPlacing({ service, tags: noted }: AccountSet): AgentFailure | undefined {
  const said = service?.events?.[0]?.message ?? '';
  if (/limit on the number of|reached (?:the|your) limit|vCPU limit/i.test(said))
    return { kind: 'quota', quota: 'Fargate On-Demand vCPU resource count', said };
  if (!/unable to place a task|capacity is unavailable/i.test(said)) return undefined;
  const [cpu, memoryMb] = [Number(noted[tags.cpu] ?? 0), Number(noted[tags.memoryMb] ?? 0)];
  return { kind: 'no_capacity', cpu, memoryMb, said };
}

async function failureOfHealth(
  { elb }: Aws,
  { targetGroupArn, healthPath: path }: AccountSet,
): Promise<AgentFailure | undefined> {
  const { TargetHealthDescriptions = [] } = await elb.send(
    new DescribeTargetHealthCommand({ TargetGroupArn: targetGroupArn }),
  );
  const ill = TargetHealthDescriptions.map(({ TargetHealth }) => TargetHealth).find(
    (health) => health?.State === 'unhealthy',
  );
  if (ill === undefined) return undefined;
  const status = /\[(\d{3})/.exec(ill.Description ?? '')?.[1];
  return ill.Reason === 'Target.ResponseCodeMismatch' && status !== undefined
    ? { kind: 'ok_status', status: Number(status), path }
    : { kind: 'ok_silent', port: CONTAINER_PORT, path };
}
