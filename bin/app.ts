import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { checkAccount } from '../lib/infra/account.ts';
import { makeApp } from '../lib/infra/app.ts';
import { bundleBuilder } from '../lib/infra/builder-bundle.ts';
import { bundleFunctions } from '../lib/infra/bundles.ts';
import { handlers } from '../lib/infra/handlers.ts';
import { readSettings } from '../lib/infra/settings.ts';

const app = new App();
await checkAccount(
  readSettings((name) => app.node.tryGetContext(name) as unknown), // whatever stands in cdk.json
);
const bundles = await bundleFunctions(handlers(), join(app.outdir, 'bundles'));
makeApp(app, bundles, await bundleBuilder(join(app.outdir, 'builder')));
app.synth();
