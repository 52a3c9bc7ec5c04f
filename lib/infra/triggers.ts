import { Duration } from 'aws-cdk-lib';
import { CfnEventBus, type EventPattern, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type FunctionRow, functionRows } from '../contract/functions.ts';
import { dispatchFilters, eventFilters, type StreamFilter } from '../store/stream-filters.ts';
import { nameOf, type Platform } from './platform.ts';
import type { Settings } from './settings.ts';
import { SlipwayFunction } from './slipway-function.ts';

/** As many as the embedded stream reader passes on; each record is a key and an id. */
const BATCH_RECORDS_MAX = 100;
/** Then the record is set aside; sweep sees to what it told dispatch of. */
const ATTEMPTS = 5;
/** A delivery that never came delays a push by so long. */
const HEADS_MINUTES = 5;
/** So long somebody may look at what was set aside. */
const SET_ASIDE_DAYS = 14;

/**
 * Where users' own rules hear of deployments; deliveries keep no order, so each event carries its
 * deployment's `sequence`.
 */
export const eventBusName = (settings: Settings): string => nameOf(settings, 'events');

/**
 * What calls functions beside requests and the state machine: the stream, a schedule, events of builds and
 * executions.
 */
export class Triggers extends Construct {
  readonly dispatch: SlipwayFunction;
  readonly events: SlipwayFunction;
  readonly sweep: SlipwayFunction;
  readonly revocations: SlipwayFunction;
  readonly heads: SlipwayFunction;
  readonly deliver: SlipwayFunction;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, platform: Platform, tableStreamArn: string) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'SetAside', {
      queueName: nameOf(platform.settings, 'stream-set-aside'),
      enforceSSL: true,
      retentionPeriod: Duration.days(SET_ASIDE_DAYS),
    });
    new CfnEventBus(this, 'Events', {
      name: eventBusName(platform.settings),
      description: 'Slipway: what happens to deployments',
    });
    this.dispatch = this.#make(platform, functionRows.dispatch);
    this.#readStream('Stream', this.dispatch, tableStreamArn, dispatchFilters);
    this.deliver = this.#make(platform, functionRows.deliver);
    this.#make(platform, functionRows.ring);
    this.events = this.#make(platform, functionRows.events);
    this.#readStream('EventStream', this.events, tableStreamArn, eventFilters);
    this.sweep = this.#make(platform, functionRows.sweep);
    this.#every(1, 'EveryMinute', this.sweep, 'looks for what nothing else will wake');
    this.revocations = this.#make(platform, functionRows.revocations);
    this.#every(
      1,
      'RevocationsEveryMinute',
      this.revocations,
      'tells OAuth providers which tokens are used no more',
    );
    this.heads = this.#make(platform, functionRows.heads);
    this.#every(
      HEADS_MINUTES,
      'HeadsEveryFiveMinutes',
      this.heads,
      'asks branches for pushes that no delivery told of',
    );
    const builds = { 'project-name': [nameOf(platform.settings, 'builds')] };
    this.#onEvents(platform, functionRows.buildChanged, {
      rule: {
        source: ['aws.codebuild'],
        detailType: ['CodeBuild Build State Change'],
        detail: builds,
      },
      // Its state is IN_PROGRESS already while a build waits for a machine; that it has one is a change of
      // its phase alone.
      'phase-rule': {
        source: ['aws.codebuild'],
        detailType: ['CodeBuild Build Phase Change'],
        detail: { ...builds, 'completed-phase': ['QUEUED'] },
      },
    });
    this.#onEvents(platform, functionRows.executionEnded, {
      rule: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { stateMachineArn: [platform.arns.stateMachine], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
      },
    });
  }

  #make(platform: Platform, row: FunctionRow): SlipwayFunction {
    const managing = platform.settings.compute === undefined ? [] : (row.managing ?? []);
    return new SlipwayFunction(this, row.name, { platform, ...row, access: [...row.access, ...managing] });
  }

  #every(minutes: number, id: string, { function: called }: SlipwayFunction, what: string): void {
    new Rule(this, id, {
      description: `Slipway: ${what}`,
      schedule: Schedule.rate(Duration.minutes(minutes)),
      targets: [new LambdaTarget(called, { retryAttempts: 0 })],
    });
  }

  #onEvents(
    platform: Platform,
    row: (typeof functionRows)['buildChanged' | 'executionEnded'],
    patterns: Record<string, EventPattern>,
  ): void {
    const made = this.#make(platform, row);
    for (const [id, eventPattern] of Object.entries(patterns)) {
      const targets = [new LambdaTarget(made.function)];
      new Rule(this, `${row.name}-${id}`, { description: `Slipway: ${row.summary}`, eventPattern, targets });
    }
  }

  #readStream(id: string, consumer: SlipwayFunction, streamArn: string, filters: StreamFilter[]): void {
    const { function: consuming, role } = consumer;
    role.addToPolicy(
      new PolicyStatement({
        actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        resources: [streamArn],
      }),
    );
    // Lambda asks whether the role can list streams before it reads one; that action knows no resource.
    role.addToPolicy(new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }));
    role.addToPolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.deadLetters.queueArn] }),
    );
    const mapping = new CfnEventSourceMapping(this, id, {
      functionName: consuming.functionArn,
      eventSourceArn: streamArn,
      startingPosition: 'TRIM_HORIZON',
      batchSize: BATCH_RECORDS_MAX,
      maximumRetryAttempts: ATTEMPTS - 1,
      bisectBatchOnFunctionError: true,
      functionResponseTypes: ['ReportBatchItemFailures'],
      destinationConfig: { onFailure: { destination: this.deadLetters.queueArn } },
      filterCriteria: { filters: filters.map((filter) => ({ pattern: JSON.stringify(patternOf(filter)) })) },
    });
    mapping.node.addDependency(role);
  }
}

/** What Lambda compares records with; the embedded reader judges by the same filters. */
const patternOf = ({ on, image, entities, statuses, has }: StreamFilter) => ({
  ...(on !== undefined && { eventName: on }),
  dynamodb: {
    [image]: {
      ...(entities !== undefined && { entity: { S: entities } }),
      ...(statuses !== undefined && { status: { S: statuses } }),
      ...(has !== undefined && hasText(has)),
    },
  },
});

function hasText([name, ...deeper]: readonly [string, ...string[]]): object {
  const [next, ...rest] = deeper;
  return { [name]: next === undefined ? { S: [{ exists: true }] } : { M: hasText([next, ...rest]) } };
}
