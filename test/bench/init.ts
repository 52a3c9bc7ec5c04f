import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundleFunctions, bundler } from '../../lib/infra/bundles.ts';
import { printTable, quantile } from './table.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const HANDLER = 'functions/api/deployments/get.ts';
const RUNS = 25;
/** Files get into the page cache. */
const WARM_UPS = 3;
const RATIO_MAX = 0.85;

/**
 * As somebody would write it who reads one item: the document client, with all that the SDK takes by default.
 */
const BARE = `
  import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
  import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  export const handler = async ({ pathParameters }) => {
    const Key = { pk: pathParameters.deployment_id, sk: 'A' };
    const { Item } = await client.send(new GetCommand({ TableName: process.env.TABLE_NAME, Key }));
    return { statusCode: 200, body: JSON.stringify(Item) };
  };`;

/** The same bundler and options as for functions, with the SDK's own chain of credentials. */
async function bundleBare(folder: string): Promise<string> {
  const outfile = join(folder, 'bare.mjs');
  await build({
    stdin: { contents: BARE, resolveDir: root, sourcefile: 'bare.js' },
    outfile,
    ...bundler,
  });
  return outfile;
}

/** Milliseconds to import a module in a process of its own that has done nothing else. */
function importMilliseconds(file: string): number {
  const script = `const at = performance.now(); await import(${JSON.stringify(pathToFileURL(file).href)}); console.log(performance.now() - at);`;
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    // As Lambda has it: no compile cache, and nothing of ours.
    {
      env: { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x', TABLE_NAME: 'abc' },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

/**
 * Init: our whole chain against a bare handler, in pairs, so that whatever else the machine does hits both.
 */
export async function init(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  try {
    const bare = await bundleBare(folder);
    const ours = join((await bundleFunctions([HANDLER], folder)).get(HANDLER)?.folder ?? '', 'index.mjs');
    const pairs: { ours: number; bare: number }[] = [];
    for (let run = -WARM_UPS; run < RUNS; run += 1) {
      const pair = { ours: importMilliseconds(ours), bare: importMilliseconds(bare) };
      if (run >= 0) pairs.push(pair);
    }
    const of = (which: 'ours' | 'bare') => pairs.map((pair) => pair[which]);
    const row = (name: string, values: number[]) => [
      name,
      quantile(values, 0.5),
      quantile(values, 0.95),
      Math.min(...values),
    ];
    const ratio = quantile(of('ours'), 0.5) / quantile(of('bare'), 0.5);
    printTable(
      `Init: import in a fresh process, ms, ${RUNS} pairs; ratio of the medians ${ratio.toFixed(2)} (at most ${RATIO_MAX}: ${ratio <= RATIO_MAX ? 'met' : 'NOT MET'})`,
      ['bundle', 'median', 'p95', 'min'],
      [row('GET deployment', of('ours')), row('bare document client', of('bare'))],
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
