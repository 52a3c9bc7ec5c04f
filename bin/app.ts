import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { makeApp } from '../lib/infra/app.ts';

const app = new App();
await makeApp(app, join(app.outdir, 'bundles'));
app.synth();
