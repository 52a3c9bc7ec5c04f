import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { publishNames } from './kept-names.ts';
import { settingsParameter, settingsText } from './remembered/parameter.ts';
import type { Given, Settings } from './settings.ts';
import { Storage } from './storage.ts';

type DataStackProps = StackProps & {
  settings: Settings;
  /** What `settings` were read from: the next deploy begins from it. */
  given: Given;
};

/**
 * What an installation keeps: its settings, and table, key and buckets under names that CloudFormation makes.
 * The application's stack may be destroyed and deployed again beside it.
 */
export class DataStack extends Stack {
  constructor(scope: Construct, id: string, { settings, given, ...rest }: DataStackProps) {
    super(scope, id, { ...rest, terminationProtection: settings.removal !== 'destroy' });
    const { names } = new Storage(this, 'Storage', settings);
    publishNames(this, settings, names);
    // Beside what is kept: destroying the application does not lose them.
    new StringParameter(this, 'settingsParameter', {
      parameterName: settingsParameter(settings.environment),
      description: 'Slipway: the settings of the last deploy, which the next one begins from',
      stringValue: settingsText(settings.environment, given),
    });
    new CfnOutput(this, 'BucketName', { value: names.bucketName });
    new CfnOutput(this, 'KeyArn', { value: names.keyArn });
  }
}
