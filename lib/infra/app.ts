import { type App, Tags, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { Bundle } from './bundles.ts';
import { DataStack } from './data-stack.ts';
import { type Given, settingsOf } from './settings.ts';
import { SlipwayStack } from './slipway-stack.ts';

export type Stacks = { data: DataStack; application: SlipwayStack };

type Parts = {
  bundles: ReadonlyMap<string, Bundle>;
  /** Holds the bundled builder. */
  builderFolder: string;
};

/** What `cdk.json` and `-c` say. */
export const contextOf =
  (app: App) =>
  (name: string): unknown =>
    app.node.tryGetContext(name) as unknown; // whatever stands in cdk.json

/** Puts the installation that its environment and these settings describe into the app. */
export function makeApp(app: App, given: Given, { bundles, builderFolder }: Parts): Stacks {
  const settings = settingsOf(contextOf(app)('environment'), given);
  const account = process.env.CDK_DEFAULT_ACCOUNT;
  const region = process.env.CDK_DEFAULT_REGION;
  const shared = {
    settings,
    ...(account !== undefined && region !== undefined && { env: { account, region } }),
  };
  const name = `slipway-${settings.environment}`;
  const data = new DataStack(app, `${name}-data`, {
    ...shared,
    given,
    description: 'Slipway: what an installation keeps',
  });
  const application = new SlipwayStack(app, name, {
    ...shared,
    bundles,
    builderFolder,
    description: 'Slipway: a deployment control plane for agent servers',
  });
  application.addStackDependency(data);
  for (const stack of [data, application]) {
    Tags.of(stack).add('application', 'slipway');
    Tags.of(stack).add('environment', settings.environment);
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { data, application };
}
