import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnProject } from 'aws-cdk-lib/aws-codebuild';
import { PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct } from 'constructs';
import { AMD64, JOB_SECONDS } from '../adapters/aws/build-machines.ts';
import { REPORTED } from '../builds/codebuild/reported.ts';
import { NODE_MAJOR } from '../builds/versions.ts';
import { ownService } from './own-service.ts';
import { nameOf } from './platform.ts';
import type { Settings } from './settings.ts';

export const buildLogGroupName = ({ environment }: Settings): string => `/slipway/${environment}/builds`;

/**
 * How long a build may wait in CodeBuild's own queue: no longer than what it was started with is good for
 * when it ends. The engine starts one again that has waited so long, with all of it made anew.
 */
const queueMinutes = ({ buildSeconds, buildQueueSeconds }: Settings): number =>
  Math.floor(Math.min(JOB_SECONDS - buildSeconds, buildQueueSeconds) / 60);

type BuildsProps = {
  settings: Settings;
  jobsBucketName: string;
  /** Holds the bundled builder, which every build fetches first. */
  builderFolder: string;
};

/**
 * Where code of users is built. The project's role writes its own log, reads the builder and, where there is
 * one, the account at Docker Hub, and takes the one object that tells a build what to do; whatever else a
 * build needs lies in that object and is good for that build alone.
 */
export class Builds extends Construct {
  readonly project: CfnProject;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, { settings, jobsBucketName, builderFolder }: BuildsProps) {
    super(scope, id);
    const { dockerHubSecret } = settings;
    const builder = new Asset(this, 'Builder', { path: builderFolder });
    this.logGroup = new LogGroup(this, 'Log', {
      logGroupName: buildLogGroupName(settings),
      retention: settings.logRetentionDays as RetentionDays, // CloudFormation refuses a number that CloudWatch does not know
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.project = new CfnProject(this, 'Project', {
      name: nameOf(settings, 'builds'),
      description: 'Slipway: builds one revision',
      serviceRole: this.#role(jobsBucketName, builder, dockerHubSecret).roleArn,
      source: { type: 'NO_SOURCE', buildSpec: JSON.stringify(buildspec()) },
      artifacts: { type: 'NO_ARTIFACTS' },
      environment: {
        // Of a build for arm64 the start says otherwise.
        ...AMD64,
        // The names are the same for both kinds of processor.
        computeType: `BUILD_GENERAL1_${settings.buildCompute.toUpperCase()}`,
        privilegedMode: true,
        environmentVariables: [
          { name: 'JOBS_BUCKET_NAME', value: jobsBucketName },
          { name: 'BUILDER_BUCKET_NAME', value: builder.s3BucketName },
          { name: 'BUILDER_KEY', value: builder.s3ObjectKey },
          ...(dockerHubSecret === undefined
            ? []
            : [{ name: 'DOCKER_HUB_SECRET_ARN', value: dockerHubSecret }]),
        ],
      },
      timeoutInMinutes: Math.ceil(settings.buildSeconds / 60),
      queuedTimeoutInMinutes: queueMinutes(settings),
      logsConfig: { cloudWatchLogs: { status: 'ENABLED', groupName: this.logGroup.logGroupName } },
    });
  }

  #role(jobsBucketName: string, builder: Asset, dockerHubSecret: string | undefined): Role {
    const statements = [
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [this.logGroup.logGroupArn],
      }),
      new PolicyStatement({
        actions: ['s3:DeleteObject', 's3:GetObject'],
        resources: [`arn:${Stack.of(this).partition}:s3:::${jobsBucketName}/builds/*`],
      }),
      new PolicyStatement({
        actions: ['s3:GetObject'],
        resources: [builder.bucket.arnForObjects(builder.s3ObjectKey)],
      }),
      ...(dockerHubSecret === undefined
        ? []
        : [
            new PolicyStatement({
              actions: ['secretsmanager:GetSecretValue'],
              resources: [dockerHubSecret],
            }),
          ]),
    ];
    return new Role(this, 'Role', {
      assumedBy: ownService(this, 'codebuild.amazonaws.com'),
      inlinePolicies: { build: new PolicyDocument({ statements }) },
    });
  }
}

/**
 * The buildspec of all builds, which are told apart by three ids in their environment. The builder is the
 * asset that two variables of the project name; it runs on a Node.js of CodeBuild's image.
 *
 * A source that cannot be built is no fault of the builder: such a build succeeds for CodeBuild and reports
 * FAILURE_REASON, because only then is it certain that what it exports is kept. It fails for CodeBuild when
 * the builder itself was cut off.
 */
export function buildspec(): object {
  return {
    version: '0.2',
    env: { shell: 'bash', 'exported-variables': [...REPORTED] },
    phases: {
      install: { 'runtime-versions': { nodejs: Number(NODE_MAJOR) } },
      build: {
        commands: [
          'builder="$(mktemp -d)"',
          'aws s3api get-object --bucket "$BUILDER_BUCKET_NAME" --key "$BUILDER_KEY" "$builder/builder.zip" >/dev/null',
          'unzip -q "$builder/builder.zip" -d "$builder"',
          'node "$builder/builder.mjs" prologue || grep -q "^export FAILURE_REASON=" "$builder/exports"',
          '. "$builder/exports"',
        ],
      },
    },
  };
}
