import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { labels, MANAGED_BY } from '../../lib/compute/kubernetes/render/names.ts';
import { withGeneratedPart } from '../support/files/generated-part.ts';
import { until } from '../support/until.ts';
import { type RunningListener, World } from './world.ts';

/** What the API server makes of a list for people: kubectl prints the columns of the first priority. */
type Table = {
  columnDefinitions: { name: string; priority: number }[];
  rows: { cells: unknown[] }[];
};

const AS_TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

async function tableOf(config: KubeConfig, path: string): Promise<Table> {
  const options: Parameters<KubeConfig['applyToHTTPSOptions']>[0] = { method: 'GET' };
  await config.applyToHTTPSOptions(options);
  const headers = { ...options.headers, accept: AS_TABLE };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${config.getCurrentCluster()?.server}${path}`,
      { ...options, headers },
      (answer) => {
        // The API server answers with a Table when it is asked for one.
        void json(answer).then((table) => resolve(table as Table), reject);
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

/** The kinds of `deploy,svc,hpa,pdb`, as kubectl names their objects. */
const kinds = [
  ['deployment.apps', 'apps/v1', 'deployments'],
  ['service', 'v1', 'services'],
  ['horizontalpodautoscaler.autoscaling', 'autoscaling/v2', 'horizontalpodautoscalers'],
  ['poddisruptionbudget.policy', 'policy/v1', 'poddisruptionbudgets'],
] as const;

/** The columns of these objects that carry the label, a table a kind, by the words of the header. */
async function getTables(
  config: KubeConfig,
  namespace: string,
  labelSelector: string,
): Promise<string[][][]> {
  const query = `?labelSelector=${encodeURIComponent(labelSelector)}`;
  return Promise.all(
    kinds.map(async ([kind, version, plural]) => {
      const group = version === 'v1' ? 'api' : 'apis';
      const path = `/${group}/${version}/namespaces/${namespace}/${plural}${query}`;
      const { columnDefinitions, rows } = await tableOf(config, path);
      const shown = columnDefinitions.flatMap(({ priority }, index) => (priority === 0 ? [index] : []));
      const header = shown.map((index) => columnDefinitions[index]?.name.toUpperCase() ?? '');
      const cells = rows.map((row) => shown.map((index) => String(row.cells[index])));
      return [header, ...cells.map(([name, ...others]) => [`${kind}/${name}`, ...others])];
    }),
  );
}

/** As kubectl prints them: columns three spaces apart, kinds by an empty line. */
const printed = (tables: readonly string[][][]): string =>
  tables.map((table) => table.map((row) => inColumns(row, table)).join('\n')).join('\n\n');

const inColumns = (row: readonly string[], table: readonly string[][]): string =>
  row
    .map((cell, index) => cell.padEnd(Math.max(...table.map((each) => each[index]?.length ?? 0)) + 3))
    .join('')
    .trimEnd();

const file = fileURLToPath(new URL('../../docs/kubernetes.md', import.meta.url));

let world: World;
let listener: RunningListener;

beforeAll(async () => {
  world = await World.open();
  listener = world.listen();
});

afterAll(async () => {
  await listener.stop();
  await world.close();
});

/** Every controller has counted both servers. */
const isSettled = (text: string): boolean =>
  [/ 2\/2 +2 +2 /, / cpu: \d+%\/80% +2 +4 +2 /, / N\/A +1 +1 /].every((row) => row.test(text));

/** Ids, addresses and ages are others each time. */
function withoutChance(tables: string[][][]): string[][][] {
  const known = { '-0000000': new Map<string, string>(), '10.96.0.1': new Map<string, string>() };
  const stable = (begin: keyof typeof known, value: string) => {
    const names = known[begin];
    const name = names.get(value) ?? `${begin}${names.size + 1}`;
    names.set(value, name);
    return name;
  };
  return tables.map((table) => {
    const [header = []] = table;
    return [
      header,
      ...table.slice(1).map((row) =>
        row.map((cell, index) => {
          if (header[index] === 'AGE') return '2m';
          if (header[index] === 'CLUSTER-IP') return stable('10.96.0.1', cell);
          return cell.replaceAll(/-[0-9a-f]{8}\b/g, (part) => stable('-0000000', part));
        }),
      ),
    ];
  });
}

it('docs/kubernetes.md shows what a deployment is; UPDATE_DOCS=1 writes it', async () => {
  const spec = { min_scale: 2, max_scale: 4, cpu: 0.25, memory_mb: 512 };
  await world.deployed(await world.deploy('hello', 'example.test/agent:1', { spec }));
  const tables = () => getTables(world.config, 'agents', `${labels.managedBy}=${MANAGED_BY}`);
  const found = await until(
    async () => {
      const now = await tables();
      return isSettled(printed(now)) && now;
    },
    { what: 'the autoscaler to know how busy the servers are' },
  );
  const content = `\`\`\`\n${printed(withoutChance(found))}\n\`\`\``;
  const text = await readFile(file, 'utf8');
  const written = withGeneratedPart(text, 'what a deployment is in a cluster', content);
  if (process.env.UPDATE_DOCS !== undefined) await writeFile(file, written);
  expect(await readFile(file, 'utf8')).toBe(written);
});
