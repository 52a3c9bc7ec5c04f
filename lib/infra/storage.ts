import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  HttpMethods,
  type IBucket,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { PENDING } from '../domain/file-places.ts';
import { TTL_ATTRIBUTE, tableDefinition } from '../store/table.ts';
import type { KeptNames } from './kept-names.ts';
import { nameOf } from './platform.ts';
import type { Settings } from './settings.ts';

/** After so long nobody reads why a request was made. */
const ACCESS_LOG_DAYS = 90;
/** What a build has to do is read and deleted within seconds of its start. */
const JOB_DAYS = 1;
/** A client uploads and names what it has uploaded within minutes. */
const PENDING_DAYS = 1;
/** A replaced object is a mistake that somebody may want to undo. */
export const REPLACED_DAYS = 36;

/**
 * What is kept: the table, the key that secrets are under, the buckets. What the settings adopt is not made,
 * but named.
 */
export class Storage extends Construct {
  /** By these the application's stack knows what is kept. */
  readonly names: KeptNames;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    // A creation that fails takes away what it has made, so that it can be repeated; whatever was created
    // once is kept.
    const removalPolicy =
      settings.removal === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
    const key = settings.keyArn === undefined ? keyOf(this, settings, removalPolicy) : undefined;
    const { accessLogs, jobs, bucket } = this.#buckets(settings, removalPolicy);
    const table = settings.tableName === undefined ? tableOf(this, settings, removalPolicy) : undefined;
    // Its protection holds against CloudFormation too: nothing that can fail comes after it.
    table?.node.addDependency(accessLogs, jobs, ...[key, bucket].filter((made) => made !== undefined));
    this.names = {
      tableName: adoptedOr(settings.tableName, table?.tableName),
      tableStreamArn: adoptedOr(settings.tableStreamArn, table?.tableStreamArn),
      keyArn: adoptedOr(settings.keyArn, key?.keyArn),
      bucketName: adoptedOr(settings.bucketName, bucket?.bucketName),
      jobsBucketName: jobs.bucketName,
    };
  }

  /** Makes the buckets, and the one of their access logs. */
  #buckets(settings: Settings, removalPolicy: RemovalPolicy) {
    const common = {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy,
      autoDeleteObjects: settings.removal === 'destroy',
    } as const;
    const accessLogs = new Bucket(this, 'AccessLogs', {
      ...common,
      lifecycleRules: [{ expiration: Duration.days(ACCESS_LOG_DAYS) }],
    });
    // The library's types are not written for exact optional properties.
    const logged = { ...common, serverAccessLogsBucket: accessLogs as IBucket };
    // It holds what builds have to do, credentials included, so that what is deleted from it is gone: it
    // keeps no versions.
    const jobs = new Bucket(this, 'Jobs', {
      ...logged,
      lifecycleRules: [{ expiration: Duration.days(JOB_DAYS) }],
    });
    const bucket = settings.bucketName === undefined ? filesOf(this, logged) : undefined;
    return { accessLogs, jobs, bucket };
  }
}

/** Of uploads and artifacts. */
const filesOf = (scope: Construct, props: BucketProps): Bucket =>
  new Bucket(scope, 'Bucket', {
    ...props,
    versioned: true,
    // The console's page sends uploads to signed addresses, which are all the authority that it takes.
    cors: [{ allowedMethods: [HttpMethods.PUT], allowedOrigins: ['*'], allowedHeaders: ['*'] }],
    lifecycleRules: [
      { noncurrentVersionExpiration: Duration.days(REPLACED_DAYS) },
      // What a request names is copied from here; nobody names the rest any more.
      {
        prefix: `${PENDING}/`,
        expiration: Duration.days(PENDING_DAYS),
        noncurrentVersionExpiration: Duration.days(PENDING_DAYS),
      },
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
  });

const keyOf = (scope: Construct, settings: Settings, removalPolicy: RemovalPolicy): Key =>
  new Key(scope, 'Key', {
    description: `Slipway ${settings.environment}: wraps the data keys of secrets`,
    alias: nameOf(settings, 'secrets'),
    enableKeyRotation: true,
    removalPolicy,
  });

function tableOf(scope: Construct, settings: Settings, removalPolicy: RemovalPolicy): TableV2 {
  const types = new Map<string, AttributeType>(
    tableDefinition.AttributeDefinitions.map(({ AttributeName, AttributeType: type }) => [
      AttributeName,
      type === 'S' ? AttributeType.STRING : AttributeType.NUMBER,
    ]),
  );
  const attribute = (name: string) => ({ name, type: types.get(name) ?? AttributeType.STRING });
  const [partition, sort] = tableDefinition.KeySchema;
  return new TableV2(scope, 'Table', {
    partitionKey: attribute(partition.AttributeName),
    sortKey: attribute(sort.AttributeName),
    billing: Billing.onDemand(),
    dynamoStream: StreamViewType[tableDefinition.StreamSpecification.StreamViewType],
    timeToLiveAttribute: TTL_ATTRIBUTE,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: settings.removal !== 'destroy',
    removalPolicy,
    globalSecondaryIndexes: tableDefinition.GlobalSecondaryIndexes.map(
      ({ IndexName, KeySchema, Projection }) => ({
        indexName: IndexName,
        partitionKey: attribute(KeySchema[0].AttributeName),
        sortKey: attribute(KeySchema[1].AttributeName),
        projectionType: ProjectionType[Projection.ProjectionType],
      }),
    ),
  });
}

/** What the settings adopt is not made, and what they do not adopt is. */
function adoptedOr(adopted: string | undefined, made: string | undefined): string {
  const name = adopted ?? made;
  if (name === undefined) throw new Error('the settings adopt a table without the ARN of its stream');
  return name;
}
