import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { PENDING } from '../domain/file-places.ts';
import { TTL_ATTRIBUTE, tableDefinition } from '../store/table.ts';
import { nameOf } from './platform.ts';
import type { Settings } from './settings.ts';

/** After so long nobody reads why a request was made. */
const ACCESS_LOG_DAYS = 90;
/** What a build has to do is read and deleted within seconds of its start. */
const JOB_DAYS = 1;
/** A client uploads and names what it has uploaded within minutes. */
const PENDING_DAYS = 1;
/** A replaced object is a mistake that somebody may want to undo. */
const REPLACED_DAYS = 36;

/** What is kept: the table, the key that secrets are under, the bucket of tarballs and artifacts. */
export class Storage extends Construct {
  readonly table: ITableV2;
  readonly key: Key;
  readonly bucket: Bucket;
  /** Known without the bucket, so that no part of the stack waits for another to name it. */
  readonly bucketName: string;
  /** Holds what builds have to do, credentials included, so that what is deleted from it is gone: it keeps no versions. */
  readonly jobsBucketName: string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const removalPolicy = settings.removal === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    // The library's types are not written for exact optional properties.
    this.table = restoredTable(this, settings) ?? (tableOf(this, settings, removalPolicy) as ITableV2);
    this.key = new Key(this, 'Key', {
      description: `Slipway ${settings.environment}: wraps the data keys of secrets`,
      alias: nameOf(settings, 'secrets'),
      enableKeyRotation: true,
      removalPolicy,
    });
    const { account, region } = Stack.of(this);
    this.bucketName = nameOf(settings, `${account}-${region}`);
    this.jobsBucketName = nameOf(settings, `jobs-${account}-${region}`);
    this.bucket = this.#buckets(removalPolicy);
  }

  /** Makes both buckets, and the one of their access logs; gives the one that is kept. */
  #buckets(removalPolicy: RemovalPolicy): Bucket {
    const common = {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy,
      autoDeleteObjects: false,
    } as const;
    const accessLogs = new Bucket(this, 'AccessLogs', {
      ...common,
      lifecycleRules: [{ expiration: Duration.days(ACCESS_LOG_DAYS) }],
    });
    // The library's types are not written for exact optional properties.
    const logged = { ...common, serverAccessLogsBucket: accessLogs as IBucket };
    new Bucket(this, 'Jobs', {
      ...logged,
      bucketName: this.jobsBucketName,
      lifecycleRules: [{ expiration: Duration.days(JOB_DAYS) }],
    });
    return new Bucket(this, 'Bucket', {
      ...logged,
      bucketName: this.bucketName,
      versioned: true,
      lifecycleRules: [
        { noncurrentVersionExpiration: Duration.days(REPLACED_DAYS) },
        // Jobs lay here before they had a bucket of their own; they hold credentials.
        {
          prefix: 'builds/',
          expiration: Duration.days(JOB_DAYS),
          noncurrentVersionExpiration: Duration.days(JOB_DAYS),
        },
        // What a request names is copied from here; nobody names the rest any more.
        {
          prefix: `${PENDING}/`,
          expiration: Duration.days(PENDING_DAYS),
          noncurrentVersionExpiration: Duration.days(PENDING_DAYS),
        },
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
  }
}

/** A table that was brought back beside the stack's own, which leaves the stack and stays where it is. */
function restoredTable(
  scope: Construct,
  { restoredTable: tableName, restoredTableStream: tableStreamArn }: Settings,
): ITableV2 | undefined {
  if (tableName === undefined || tableStreamArn === undefined) return undefined;
  const globalIndexes = tableDefinition.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName);
  return TableV2.fromTableAttributes(scope, 'RestoredTable', { tableName, tableStreamArn, globalIndexes });
}

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
    tableName: nameOf(settings, 'table'),
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
