import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { run } from '../support/programs/python-tools.ts';
import { timed } from '../support/run/progress.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cache = process.env.SLIPWAY_KUBERNETES_CACHE ?? join(root, 'node_modules/.cache/slipway-kubernetes');

/** What Go is told about its caches and its proxy counts here too. Its own installer is often not on the PATH. */
function goEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => /^GO[A-Z]+$/.test(name));
  const PATH = [process.env.PATH ?? '', '/usr/local/go/bin'].join(delimiter);
  return { ...Object.fromEntries(own.map(([name, value]) => [name, value ?? ''])), PATH };
}

/** Builds a program from its Go module (`module@version`), unless it is kept. Returns its path. */
async function goTool(processes: ProcessSupervisor, module: string): Promise<string> {
  const [path = '', version = ''] = module.split('@');
  const name = path.split('/').findLast((part) => !/^v\d+$/.test(part)) ?? '';
  const folder = join(cache, 'bin', `${name}-${version}`);
  const program = join(folder, name);
  if (existsSync(program)) return program;
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    const environment = { ...goEnvironment(), GOBIN: unfinished };
    await timed(`${name} is built`, () => run(processes, 'go', ['install', module], { environment }));
    // Another run may have been sooner.
    await rename(unfinished, folder).catch(() => undefined);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return program;
}

const HELM = 'helm.sh/helm/v4/cmd/helm@v4.3.1';
const KUSTOMIZE = 'sigs.k8s.io/kustomize/kustomize/v5@v5.7.1';

/** Builds what these need, unless that is kept: it takes minutes, and no test should have to wait for it. */
export async function buildChartTools(processes: ProcessSupervisor): Promise<void> {
  for (const tool of [HELM, KUSTOMIZE]) await goTool(processes, tool);
}

export const chartFolder = fileURLToPath(new URL('../../charts/slipway-listener', import.meta.url));
export const kustomizeFolder = join(chartFolder, 'kustomize');
export const kustomizeValues = join(kustomizeFolder, 'values.yaml');
export const listenerFile = join(kustomizeFolder, 'listener.yaml');

const NAME = 'slipway-listener';
const NAMESPACE = 'slipway';
const HEADER = `# Made by \`npm run kustomize\` from the chart and values.yaml. Edit kustomization.yaml instead.
`;

/** What has no default. */
export const leastValues = {
  url: 'https://control.test',
  listenerId: '5b0c8f5e-4a55-4d6b-9d1d-2f5a2c1b7e11',
  namespaces: ['agents'],
  apiKeySecret: { name: 'key' },
  image: { repository: 'registry.test/listener' },
};
const digest = `sha256:${'0'.repeat(64)}`;
const spread = { maxSkew: 2, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' };
/** Something for every value. */
export const fullValues = {
  ...leastValues,
  namespaces: ['agents', 'more'],
  apiKeySecret: { name: 'key', key: 'token' },
  image: { repository: 'registry.test/listener', tag: 'unused', digest, pullPolicy: 'Always' },
  imagePullSecrets: [{ name: 'registry' }],
  gatewayApi: true,
  platform: 'linux/arm64',
  stores: {
    postgresImage: 'mirror.test/pgvector@sha256:1',
    redisImage: 'mirror.test/redis@sha256:2',
    imagePullSecrets: [{ name: 'mirror' }, { name: 'other' }],
  },
  openshift: true,
  startTimeoutSeconds: 600,
  logLevel: 'debug',
  otlp: { endpoint: 'http://collector.test:4318', headersSecret: { name: 'otlp', key: 'all' } },
  replicas: 3,
  resources: { limits: { memory: '1Gi' } },
  nodeSelector: { pool: 'system' },
  tolerations: [{ key: 'system', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  topologySpreadConstraints: [spread],
  priorityClassName: 'high',
  podLabels: { team: 'agents' },
  podAnnotations: { note: 'yes' },
  extraCa: { configMap: 'company-ca', key: 'bundle.pem' },
  proxy: { http: 'http://proxy.test', https: 'http://proxy.test:8080', noProxy: '.test' },
};

/** Runs Helm with the chart and values: a file of YAML, or an object. */
async function helm(processes: ProcessSupervisor, words: string[], values: string | object): Promise<string> {
  const program = await goTool(processes, HELM);
  const folder = await mkdtemp(join(tmpdir(), 'slipway-helm-'));
  try {
    const file = typeof values === 'string' ? values : join(folder, 'values.json');
    if (typeof values !== 'string') await writeFile(file, JSON.stringify(values));
    const own = ['CACHE', 'CONFIG', 'DATA'].map((what) => [`HELM_${what}_HOME`, folder]);
    return await run(processes, program, [...words, '--namespace', NAMESPACE, '--values', file], {
      environment: Object.fromEntries(own),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Installs a chart, such as that of an earlier release. */
export const installChart = (
  processes: ProcessSupervisor,
  chart: string,
  kubeconfig: string,
  values: object,
): Promise<string> => helm(processes, ['install', NAME, chart, '--kubeconfig', kubeconfig], values);

/** Upgrades to a chart with the values of the one before, as docs/kubernetes.md says. */
export const upgradeChart = (
  processes: ProcessSupervisor,
  chart: string,
  kubeconfig: string,
): Promise<string> => {
  const words = ['upgrade', NAME, chart, '--kubeconfig', kubeconfig, '--reset-then-reuse-values'];
  return helm(processes, words, {});
};

/** Throws when Helm finds something wrong. */
export const lintChart = (processes: ProcessSupervisor, values: string | object): Promise<string> =>
  helm(processes, ['lint', '--strict', chartFolder], values);

/** What the chart makes, as YAML. Throws with Helm's words when it refuses the values. */
export const renderChart = (processes: ProcessSupervisor, values: string | object): Promise<string> =>
  helm(processes, ['template', NAME, chartFolder], values);

/** The file that those get who do not use Helm. */
export async function renderListenerFile(processes: ProcessSupervisor): Promise<string> {
  const lines = (await renderChart(processes, kustomizeValues)).split('\n');
  return `${HEADER}${lines
    .filter((line) => !line.startsWith('# Source: '))
    .join('\n')
    .trimEnd()}\n`;
}

/** What `kubectl apply -k` would apply. */
export async function buildKustomization(processes: ProcessSupervisor, folder: string): Promise<string> {
  return run(processes, await goTool(processes, KUSTOMIZE), ['build', folder]);
}
