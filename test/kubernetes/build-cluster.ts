import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { root } from '../aws/emulator.ts';
import { run } from '../support/programs/python-tools.ts';
import { timed } from '../support/run/progress.ts';

const sources = join(root, 'test/kubernetes/cluster');
/** Its CRDs are in its Go module, and in no package of Go that could be imported. */
const GATEWAY_API = 'sigs.k8s.io/gateway-api@v1.6.3';
const GATEWAY_KINDS = ['gatewayclasses', 'gateways', 'httproutes'];
const SOURCE_FILE = /\.go$|^go\.(mod|sum)$|\.yaml$/;

const NEEDED =
  'The test cluster of Kubernetes is built from its Go sources: install Go 1.26 or newer from https://go.dev/dl and put it on the PATH.';

/** Where builds are kept. A build takes minutes: CI keeps this folder between its runs. */
const cache = (): string =>
  process.env.SLIPWAY_KUBERNETES_CACHE ?? join(root, 'node_modules/.cache/slipway-kubernetes');

/** Other flags would compile everything again. */
const FLAGS = { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false' };

/** What Go is told about its caches and its proxy counts here too. Its own installer is often not on the PATH. */
function goEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => /^GO[A-Z]+$/.test(name));
  const PATH = [process.env.PATH ?? '', '/usr/local/go/bin'].join(delimiter);
  return { ...Object.fromEntries(own.map(([name, value]) => [name, value ?? ''])), ...FLAGS, PATH };
}

const go = (processes: ProcessSupervisor, args: string[]): Promise<string> =>
  run(processes, 'go', args, { cwd: sources, environment: goEnvironment() });

async function hashOf(goVersion: string): Promise<string> {
  const hash = createHash('sha256').update(goVersion).update(GATEWAY_API).update(GATEWAY_KINDS.join());
  const files = (await readdir(sources, { recursive: true })).filter((file) => SOURCE_FILE.test(file)).sort();
  for (const file of files) hash.update(file).update(await readFile(join(sources, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Otherwise the server would not know its own version. */
async function versionFlags(): Promise<string> {
  const found = /k8s\.io\/kubernetes (v(\d+)\.(\d+)\.\d+)/.exec(
    await readFile(join(sources, 'go.mod'), 'utf8'),
  );
  if (found === null) throw new Error('go.mod of the test cluster names no version of k8s.io/kubernetes');
  const [, version, major, minor] = found;
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
}

async function addGatewayApi(processes: ProcessSupervisor, folder: string): Promise<void> {
  const { Dir } = JSON.parse(await go(processes, ['mod', 'download', '-json', GATEWAY_API]));
  await mkdir(folder);
  for (const kind of GATEWAY_KINDS) {
    const file = `gateway.networking.k8s.io_${kind}.yaml`;
    await cp(join(Dir, 'config/crd/standard', file), join(folder, file));
  }
}

/** Builds the cluster, unless a build of these sources is kept. Returns the program's path. */
export async function buildCluster(processes: ProcessSupervisor): Promise<string> {
  const version = await go(processes, ['env', 'GOVERSION', 'GOOS', 'GOARCH']).catch((cause: unknown) => {
    throw new Error(NEEDED, { cause });
  });
  const folder = join(cache(), await hashOf(version));
  const program = join(folder, 'cluster');
  if (existsSync(program)) return program;
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    await timed('The test cluster is built (minutes, unless Go has compiled it before)', async () => {
      const flags = ['-trimpath', '-ldflags', `-s -w ${await versionFlags()}`];
      await go(processes, ['build', ...flags, '-o', join(unfinished, 'cluster'), '.']);
      await addGatewayApi(processes, join(unfinished, 'gateway-api'));
    });
    // Another run may have been sooner.
    await rename(unfinished, folder).catch(() => undefined);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return program;
}
