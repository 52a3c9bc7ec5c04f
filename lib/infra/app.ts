import { type App, Tags, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { Bundle } from './bundles.ts';
import { readSettings } from './settings.ts';
import { SlipwayStack } from './slipway-stack.ts';

/** Puts the installation that the context describes into the app, with functions of these bundles and the builder in a folder. */
export function makeApp(app: App, bundles: ReadonlyMap<string, Bundle>, builderFolder: string): SlipwayStack {
  const settings = readSettings((name) => app.node.tryGetContext(name) as unknown); // whatever stands in cdk.json
  const account = process.env.CDK_DEFAULT_ACCOUNT;
  const region = process.env.CDK_DEFAULT_REGION;
  const stack = new SlipwayStack(app, `slipway-${settings.environment}`, {
    settings,
    bundles,
    builderFolder,
    description: 'Slipway: a deployment control plane for agent servers',
    ...(account !== undefined && region !== undefined && { env: { account, region } }),
  });
  Tags.of(stack).add('application', 'slipway');
  Tags.of(stack).add('environment', settings.environment);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return stack;
}
