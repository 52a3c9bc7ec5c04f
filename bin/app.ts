import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { contextOf, makeApp } from '../lib/infra/app.ts';
import { bundleBuilder } from '../lib/infra/builder-bundle.ts';
import { handlers } from '../lib/infra/handlers.ts';
import { keptBundles } from '../lib/infra/kept-bundles.ts';
import { checkDeploy } from '../lib/infra/preflight/deploy.ts';
import { settle } from '../lib/infra/remembered/settle.ts';

const app = new App();
const say = (line: string) => process.stderr.write(`${line}\n`);
const given = await settle(contextOf(app), process.env, say);
await checkDeploy(contextOf(app)('environment'), given, process.env, say);
const bundles = await keptBundles(handlers());
makeApp(app, given, { bundles, builderFolder: await bundleBuilder(join(app.outdir, 'builder')) });
app.synth();
