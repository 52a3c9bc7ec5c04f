import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';

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
        void text(answer).then((json) => resolve(JSON.parse(json) as Table), reject);
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
export async function getTables(
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
export const printed = (tables: readonly string[][][]): string =>
  tables.map((table) => table.map((row) => inColumns(row, table)).join('\n')).join('\n\n');

const inColumns = (row: readonly string[], table: readonly string[][]): string =>
  row
    .map((cell, index) => cell.padEnd(Math.max(...table.map((each) => each[index]?.length ?? 0)) + 3))
    .join('')
    .trimEnd();
