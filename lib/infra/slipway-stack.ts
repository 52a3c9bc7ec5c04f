import { CfnOutput, type NestedStack, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { functionRows, managingRows } from '../contract/functions.ts';
import { AgentsStack } from './agents/agents-stack.ts';
import { agentArns, managingVariables } from './agents/names.ts';
import { Api } from './api.ts';
import { Builds, buildLogGroupName } from './builds.ts';
import type { Bundle } from './bundles.ts';
import { CustomDomain } from './custom-domain.ts';
import { Doorbell } from './doorbell.ts';
import { type KeptNames, readNames } from './kept-names.ts';
import { LogIngestion } from './log-ingestion.ts';
import { suppressNagFindings } from './nag-suppressions.ts';
import { Notes } from './notes.ts';
import { Observability } from './observability.ts';
import { nameOf, type Platform } from './platform.ts';
import { pullRoleName, pushRoleName, Registry } from './registry.ts';
import { numberVariables, type Settings } from './settings.ts';
import { eventBusName, Triggers } from './triggers.ts';
import { Workflow } from './workflow.ts';

type SlipwayStackProps = StackProps & {
  settings: Settings;
  bundles: ReadonlyMap<string, Bundle>;
  /** Holds the bundled builder. */
  builderFolder: string;
};

/** All of an installation but what it keeps: it may be destroyed and deployed again. */
export class SlipwayStack extends Stack {
  /** One for each area of the route table, and that of agents where there is one. */
  readonly nestedStacks: NestedStack[];

  constructor(scope: Construct, id: string, props: SlipwayStackProps) {
    const { settings, bundles, builderFolder, ...rest } = props;
    super(scope, id, rest);
    const kept = readNames(this, settings);
    const builds = new Builds(this, 'Builds', {
      settings,
      jobsBucketName: kept.jobsBucketName,
      builderFolder,
    });
    const doorbell = new Doorbell(this, 'Doorbell', settings);
    const platform = this.#platform(settings, bundles, kept, { project: builds.project, doorbell });
    const workflow = new Workflow(this, 'Workflow', platform);
    const triggers = new Triggers(this, 'Triggers', platform, kept.tableStreamArn);
    const { ingest } = new LogIngestion(this, 'BuildLogs', {
      platform,
      row: functionRows.ingestLogs,
      logGroup: builds.logGroup,
    });
    const agents = settings.compute === undefined ? undefined : new AgentsStack(this, 'Agents', platform);
    const variables = {
      ...platform.variables,
      AGENT_ORIGINS: agents?.origins.join(','),
      ...agents?.measured,
    };
    const api = new Api(this, 'Api', { ...platform, variables });
    doorbell.serve(platform, api.logGroup);
    new Notes(this, 'Notes', platform, api.logGroup);
    this.nestedStacks = [...api.areas, ...(agents === undefined ? [] : [agents])];
    new Registry(this, 'Registry', platform, {
      push: [workflow.functions.BuildFunctionArn.role, api.roleOf('createPushToken')],
      pull: [api.roleOf('createRegistryCredentials')],
    });
    suppressNagFindings(this, platform);
    if (settings.domainName !== undefined) new CustomDomain(this, 'Domain', settings, api);
    new Observability(this, 'Observability', settings, {
      apiId: api.httpApi.apiId,
      tableName: kept.tableName,
      queueName: triggers.deadLetters.queueName,
      stateMachineArn: platform.arns.stateMachine,
      consumers: [triggers.dispatch.function, triggers.events.function],
      sweep: triggers.sweep.function,
      revocations: triggers.revocations.function,
      deliver: triggers.deliver.function,
      ingest: ingest.function,
      tasks: Object.values(workflow.functions).map((made) => made.function),
      driver: agents?.driver,
    });
    const { domainName } = settings;
    new CfnOutput(this, 'ApiUrl', {
      value: domainName === undefined ? api.httpApi.apiEndpoint : `https://${domainName}`,
    });
    for (const [name, value] of Object.entries(agents?.outputs ?? {})) new CfnOutput(this, name, { value });
    new CfnOutput(this, 'EventBusName', { value: eventBusName(settings) });
    new CfnOutput(this, 'TableName', { value: kept.tableName });
  }

  #platform(
    settings: Settings,
    bundles: ReadonlyMap<string, Bundle>,
    kept: KeptNames,
    { project, doorbell }: { project: Builds['project']; doorbell: Doorbell },
  ): Platform {
    const { partition, region, account } = this;
    const { tableName, keyArn, bucketName, jobsBucketName } = kept;
    const at = (service: string, resource: string) =>
      `arn:${partition}:${service}:${region}:${account}:${resource}`;
    const stateMachine = at('states', `stateMachine:${nameOf(settings, 'revision')}`);
    const role = (name: string) => `arn:${partition}:iam::${account}:role/${name}`;
    const [pushRole, pullRole] = [role(pushRoleName(settings)), role(pullRoleName(settings))];
    const variables: Platform['variables'] = {
      TABLE_NAME: tableName,
      STATE_MACHINE_ARN: stateMachine,
      KEY_ID: keyArn,
      BUCKET_NAME: bucketName,
      JOBS_BUCKET_NAME: jobsBucketName,
      BUILD_PROJECT_NAME: nameOf(settings, 'builds'),
      BUILD_LOG_GROUP_NAME: buildLogGroupName(settings),
      PUSH_ROLE_ARN: pushRole,
      PULL_ROLE_ARN: pullRole,
      REGISTRY_HOST: `${account}.dkr.ecr.${region}.${this.urlSuffix}`,
      SLIPWAY_BASE_URL: settings.domainName === undefined ? undefined : `https://${settings.domainName}`,
      OIDC_ISSUER: settings.oidcIssuer,
      OIDC_AUDIENCE: settings.oidcAudience,
      OIDC_ISSUERS: settings.oidcIssuers,
      OIDC_CLIENT_ID: settings.oidcClientId,
      OIDC_TOKEN_ENDPOINT: settings.oidcTokenEndpoint,
      AGENT_ORIGINS: undefined,
      MEASURED_CLUSTER: undefined,
      MEASURED_LISTENER_ARN: undefined,
      UPLOAD_ORIGIN: `https://${bucketName}.s3.${region}.${this.urlSuffix}`,
      EVENT_BUS_NAME: eventBusName(settings),
      DELIVER_FUNCTION_NAME: nameOf(settings, functionRows.deliver.name),
      DOORBELL_URL: doorbell.url,
      RING_FUNCTION_NAME: nameOf(settings, functionRows.ring.name),
      HEADS_FUNCTION_NAME: nameOf(settings, functionRows.heads.name),
      ...numberVariables(settings),
      ALLOWED_HOSTS: settings.allowedHosts,
      DEFAULT_RUNTIME: settings.defaultRuntime,
      ...managingVariables(settings),
    };
    const arns = {
      table: at('dynamodb', `table/${tableName}`),
      key: keyArn,
      bucket: `arn:${partition}:s3:::${bucketName}`,
      jobsBucket: `arn:${partition}:s3:::${jobsBucketName}`,
      stateMachine,
      executions: at('states', `execution:${nameOf(settings, 'revision')}:*`),
      buildProject: project.attrArn,
      deliver: at('lambda', `function:${nameOf(settings, functionRows.deliver.name)}`),
      heads: at('lambda', `function:${nameOf(settings, functionRows.heads.name)}`),
      ring: at('lambda', `function:${nameOf(settings, functionRows.ring.name)}`),
      sockets: doorbell.connections,
      eventBus: at('events', `event-bus/${eventBusName(settings)}`),
      repositories: at('ecr', 'repository/slipway/*'),
      pushRole,
      pullRole,
      drive: at('lambda', `function:${nameOf(settings, managingRows.drive.name)}`),
      agents: agentArns(settings, { at, role }),
    };
    return { settings, bundles, variables, arns };
  }
}
