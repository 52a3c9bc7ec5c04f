import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../lib/processes/free-port.ts';
import type { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { installPython } from '../support/programs/python-tools.ts';
import { timed } from '../support/run/progress.ts';
import { until } from '../support/until.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));
/** What other versions lack is not what emulator-gaps.ts says. */
const VERSION = '1.5.33';
/** Kept between runs: making it takes longer than some of the tests. */
const installation = join(root, 'node_modules/.cache/slipway-aws', `ministack-${VERSION}`);
const STOP_GRACE_MS = 3_000;
const OUTPUT_LINES_MAX = 2_000;

/** What an image is here: a script of Node with its arguments, or one that cannot be fetched for a reason. */
export type ImageProgram = { args: string[] } | { refused: string };

/** Actions, such as `dynamodb:GetItem`. */
export type Permissions = { granted: string[]; used: string[] };

export type Emulator = {
  endpoint: string;
  port: number;
  /** Ends a build: what is given becomes part of its record, as `BatchGetBuilds` shows it. */
  endBuild(buildId: string, record: object): Promise<void>;
  /** What runs when ECS starts the image with this digest or reference, from now on. */
  setImage(reference: string, program: ImageProgram): Promise<void>;
  /** The next resource of this type that CloudFormation makes cannot be made. */
  failOnce(resourceType: string): Promise<void>;
  /** From now on a function may not do this, which its role grants; undefined: it may do all that again. */
  deny(permission: { function: string; action: string } | undefined): Promise<void>;
  /** What the role of each function grants, and what of it was used. */
  permissions(): Promise<Record<string, Permissions>>;
  /** What it has printed lately. */
  output(): string;
  stop(): Promise<void>;
};

/** Installs the emulator, unless it is there. Two at once would be in each other's way: a run does it once. */
export const installEmulator = (processes: ProcessSupervisor): Promise<void> =>
  timed(`The emulator, ministack ${VERSION}, is installed`, () =>
    installPython(processes, installation, [`ministack==${VERSION}`]),
  );

/**
 * Starts the emulator, which is installed, on a free port of 127.0.0.1, with nothing on its PATH but Node,
 * under which functions run. All its files are in `folder`, which exists.
 */
export async function startEmulator(processes: ProcessSupervisor, folder: string): Promise<Emulator> {
  const [programs, builds] = [join(folder, 'programs'), join(folder, 'builds')];
  const permissions = join(folder, 'permissions.json');
  const fault = join(folder, 'fault');
  const denied = join(folder, 'denied');
  const images = join(folder, 'images.json');
  const known: Record<string, ImageProgram> = {};
  await writeFile(images, '{}');
  for (const each of [programs, builds]) await mkdir(each);
  await symlink(process.execPath, join(programs, 'node'));
  const port = await freePort();
  const lines: string[] = [];
  const group = processes.start({
    command: join(installation, 'bin/python'),
    args: [join(root, 'test/aws/emulator.py')],
    cwd: folder,
    environment: {
      PATH: programs,
      HOME: folder,
      TMPDIR: folder,
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      IOT_MTLS_ENABLED: '0',
      BUILDS_FOLDER: builds,
      PERMISSIONS_FILE: permissions,
      FAULT_FILE: fault,
      DENIED_FILE: denied,
      IMAGES_FILE: images,
      PYTHONDONTWRITEBYTECODE: '1',
      // The CDK's own function, which empties buckets, expects the AWS SDK of its runtime. Ours are modules,
      // which do not look here.
      NODE_PATH: join(root, 'node_modules'),
    },
    onLine: ({ line }) => void (lines.push(line) > OUTPUT_LINES_MAX && lines.shift()),
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const answers = async () => {
    if (group.exit !== undefined) throw new Error(`The emulator ended:\n${lines.join('\n')}`);
    return fetch(`${endpoint}/_ministack/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await until(answers, { what: 'the emulator to start' });
  return {
    endpoint,
    port,
    endBuild: (buildId, record) =>
      writeFile(join(builds, `${buildId.split(':').at(-1)}.json`), JSON.stringify(record)),
    setImage: (reference, program) => {
      known[reference] = program;
      return writeFile(images, JSON.stringify(known));
    },
    failOnce: (resourceType) => writeFile(fault, resourceType),
    deny: async (permission) => {
      await rm(denied, { force: true });
      if (permission === undefined) return;
      await writeFile(`${denied}.new`, `${permission.function} ${permission.action}`);
      await rename(`${denied}.new`, denied);
    },
    permissions: async () => JSON.parse(await readFile(permissions, 'utf8')),
    output: () => lines.join('\n'),
    stop: () => processes.stop(group, STOP_GRACE_MS),
  };
}
