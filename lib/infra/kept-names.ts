import { CfnParameter } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** What the data stack keeps, as the application's stack has to know it. */
export type KeptNames = {
  tableName: string;
  tableStreamArn: string;
  keyArn: string;
  bucketName: string;
  jobsBucketName: string;
};

const parameterOf = ({ environment }: Settings, name: keyof KeptNames): string =>
  `/slipway/${environment}/data/${name}`;

/** For each of the names one value that `of` gives. */
const eachName = (of: (name: keyof KeptNames) => string): KeptNames => ({
  tableName: of('tableName'),
  tableStreamArn: of('tableStreamArn'),
  keyArn: of('keyArn'),
  bucketName: of('bucketName'),
  jobsBucketName: of('jobsBucketName'),
});

/**
 * Writes the names to parameters. They are no exports, which would hold a stack as long as another one uses
 * them.
 */
export function publishNames(scope: Construct, settings: Settings, names: KeptNames): void {
  eachName((name) => {
    new StringParameter(scope, `${name}Parameter`, {
      parameterName: parameterOf(settings, name),
      description: 'Slipway: written by the data stack, read when the application is deployed',
      stringValue: names[name],
    });
    return name;
  });
}

/** The names, as CloudFormation finds them at each deploy. */
export const readNames = (scope: Construct, settings: Settings): KeptNames =>
  eachName((name) => {
    const parameter = new CfnParameter(scope, `${name}Parameter`, {
      type: 'AWS::SSM::Parameter::Value<String>',
      default: parameterOf(settings, name),
      description: 'What the data stack wrote there',
    });
    return parameter.valueAsString;
  });
