import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { publishNames } from './kept-names.ts';
import type { Settings } from './settings.ts';
import { Storage } from './storage.ts';

/**
 * What an installation keeps: table, key and buckets, under names that CloudFormation makes. The
 * application's stack may be destroyed and deployed again beside it.
 */
export class DataStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...rest }: StackProps & { settings: Settings }) {
    super(scope, id, { ...rest, terminationProtection: settings.removal !== 'destroy' });
    const { names } = new Storage(this, 'Storage', settings);
    publishNames(this, settings, names);
    new CfnOutput(this, 'BucketName', { value: names.bucketName });
    new CfnOutput(this, 'KeyArn', { value: names.keyArn });
  }
}
