import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { makeApp } from '../lib/infra/app.ts';
import { bundleFunctions } from '../lib/infra/bundles.ts';
import { handlers } from '../lib/infra/handlers.ts';

const app = new App();
makeApp(app, await bundleFunctions(handlers(), join(app.outdir, 'bundles')));
app.synth();
