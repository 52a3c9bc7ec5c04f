import {
  CloudWatchLogsClient,
  CreateLogStreamCommand,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  BatchGetBuildsCommand,
  type Build,
  CodeBuildClient,
  ListBuildsForProjectCommand,
} from '@aws-sdk/client-codebuild';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { DeleteObjectCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { until } from '../support/until.ts';
import { clientConfig } from './aws-environment.ts';
import type { Emulator } from './emulator.ts';

export type StartedBuild = {
  id: string;
  /** The environment that it was started with, of the project and of its own. */
  environment: Record<string, string>;
  bucketName: string;
  jobKey: string;
};

/**
 * The part of the builder and of CodeBuild, in a test: takes builds that were started, says what they print,
 * ends them.
 */
export class BuildService {
  readonly #emulator: Emulator;
  readonly #codeBuild: CodeBuildClient;
  readonly #s3: S3Client;
  readonly #logs: CloudWatchLogsClient;
  readonly #events: EventBridgeClient;
  readonly #taken = new Set<string>();
  readonly #environment: string;

  /** Of the installation in this environment. */
  constructor(emulator: Emulator, environment = 'test') {
    const config = clientConfig(emulator);
    this.#emulator = emulator;
    this.#environment = environment;
    this.#codeBuild = new CodeBuildClient(config);
    this.#s3 = new S3Client({ ...config, forcePathStyle: true });
    this.#logs = new CloudWatchLogsClient(config);
    this.#events = new EventBridgeClient(config);
  }

  /** How many builds were ever started. */
  async count(): Promise<number> {
    return (await this.#ids()).length;
  }

  /** Waits for a build that was not taken yet. */
  take(): Promise<StartedBuild> {
    return until(() => this.next(), { what: 'a build to be started' });
  }

  /**
   * Takes a build that was not taken yet and is in progress, if there is one. Builds outlive their project:
   * those of an earlier installation of the same name are listed too.
   */
  async next(): Promise<StartedBuild | undefined> {
    const build = await this.#untaken();
    if (build?.id === undefined) return undefined;
    const { id } = build;
    this.#taken.add(id);
    const variables = build.environment?.environmentVariables ?? [];
    const environment = Object.fromEntries(variables.map(({ name = '', value = '' }) => [name, value]));
    const {
      JOBS_BUCKET_NAME: bucketName = '',
      SLIPWAY_TENANT_ID,
      SLIPWAY_DEPLOYMENT_ID,
      SLIPWAY_BUILD_NAME,
    } = environment;
    const jobKey = `builds/${SLIPWAY_TENANT_ID}/${SLIPWAY_DEPLOYMENT_ID}/${SLIPWAY_BUILD_NAME}.json`;
    return { id, environment, bucketName, jobKey };
  }

  async record(id: string): Promise<Build> {
    const { builds = [] } = await this.#codeBuild.send(new BatchGetBuildsCommand({ ids: [id] }));
    const [build] = builds;
    if (build === undefined) throw new Error(`There is no build ${id}`);
    return build;
  }

  /** Reads what a build has to do and deletes it, as the builder does first. */
  async takeJob({ bucketName: Bucket, jobKey: Key }: StartedBuild): Promise<Record<string, unknown>> {
    const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket, Key }));
    const text = await Body?.transformToString();
    await this.#s3.send(new DeleteObjectCommand({ Bucket, Key }));
    return JSON.parse(text ?? '');
  }

  /** Writes lines to the log group of builds, in the stream that CodeBuild would make for this build. */
  async print({ id, environment }: StartedBuild, messages: string[]): Promise<void> {
    const { SLIPWAY_TENANT_ID, SLIPWAY_DEPLOYMENT_ID, SLIPWAY_REVISION_ID } = environment;
    const uuid = id.split(':').at(-1);
    const logGroupName = `/slipway/${this.#environment}/builds`;
    const logStreamName = `${SLIPWAY_TENANT_ID}/${SLIPWAY_DEPLOYMENT_ID}/${SLIPWAY_REVISION_ID}/${uuid}`;
    await this.#logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName }));
    const logEvents = messages.map((message) => ({ timestamp: Date.now(), message }));
    await this.#logs.send(new PutLogEventsCommand({ logGroupName, logStreamName, logEvents }));
  }

  /** The build ends well, having exported these variables. */
  async succeed(build: StartedBuild, exported: Record<string, string>): Promise<void> {
    const variables = Object.entries(exported).map(([name, value]) => ({ name, value }));
    await this.#emulator.endBuild(build.id, {
      buildStatus: 'SUCCEEDED',
      exportedEnvironmentVariables: variables,
    });
    await this.announce(build, 'SUCCEEDED');
  }

  /** Sends the event of a build whose state changed. */
  async announce({ id, environment }: StartedBuild, status: string): Promise<void> {
    const { arn } = await this.record(id);
    const variables = Object.entries(environment).map(([name, value]) => ({
      name,
      value,
      type: 'PLAINTEXT',
    }));
    const Detail = JSON.stringify({
      'build-status': status,
      'project-name': id.split(':')[0],
      'build-id': arn,
      'additional-information': { environment: { 'environment-variables': variables } },
    });
    const event = { Source: 'aws.codebuild', DetailType: 'CodeBuild Build State Change', Detail };
    const { FailedEntryCount } = await this.#events.send(new PutEventsCommand({ Entries: [event] }));
    if (FailedEntryCount !== 0) throw new Error('The event of the build was not taken');
  }

  async #untaken(): Promise<Build | undefined> {
    const ids = (await this.#ids()).filter((each) => !this.#taken.has(each));
    if (ids.length === 0) return undefined;
    const { builds = [] } = await this.#codeBuild.send(new BatchGetBuildsCommand({ ids }));
    return builds.find(({ buildStatus }) => buildStatus === 'IN_PROGRESS');
  }

  async #ids(): Promise<string[]> {
    const command = new ListBuildsForProjectCommand({ projectName: `slipway-${this.#environment}-builds` });
    return (await this.#codeBuild.send(command)).ids ?? [];
  }
}
