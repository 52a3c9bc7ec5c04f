import { spawnSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { connect } from 'node:net';
import { VERSION_HEADER } from '../../contract/version.ts';
import { command } from '../shell/command.ts';
import type { Access } from '../shell/credentials.ts';
import { Ended, exits } from '../shell/ends.ts';
import { isLoopback } from '../shell/local-credentials.ts';
import { causeOf } from '../shell/served.ts';
import type { Shell } from '../shell/shell.ts';
import type { World } from '../shell/world.ts';

const styles = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
type Status = keyof typeof styles;
/** `way`: what mends it; of what is in order there is none. */
type Check = { name: string; status: Status; says: string; way?: string };

const check = (status: Status, name: string, says: string, way?: string): Check => ({
  name,
  status,
  says,
  ...(status !== 'ok' && way !== undefined && { way }),
});

export const doctor = command({
  name: 'doctor',
  args: '',
  says: 'Check this machine and the installation: programs, disk, clock, version, credential',
  more: 'Ends with 1 when something fails. Of an installation on this machine, what it builds with is checked too.',
  examples: ['slipway doctor', 'slipway doctor --json'],
  flags: {},
  async run(shell) {
    const { output } = shell;
    const checks = await checksOf(shell);
    const failed = checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
    const rows = checks.map(({ name, status, says, way }) => [
      { text: status, style: styles[status] },
      name,
      way === undefined ? says : `${says}: ${way}`,
    ]);
    // A failure prints them itself there, in its one object.
    if (failed.length === 0 || !output.isJson)
      output.result({ checks }, output.table(['', 'CHECK', 'FOUND'], rows));
    if (failed.length > 0) throw new Ended(`Failed: ${failed.join(', ')}.`, exits.refused, { checks });
  },
});

async function checksOf(shell: Shell): Promise<Check[]> {
  const { world } = shell;
  const git = versionOf(world, 'git');
  const here = [
    check('ok', 'node', process.versions.node),
    check(
      git === undefined ? 'warn' : 'ok',
      'git',
      git ?? 'not there, so that nobody reads .gitignore',
      'install it',
    ),
  ];
  let access: Access;
  try {
    access = shell.access;
  } catch (error) {
    const none = check('fail', 'installation', causeOf(error), 'slipway login URL');
    return [...here, ...builders(world), await portCheck(world), none];
  }
  const own = isLoopback(access.url) ? builders(world) : [];
  return [...here, ...own, ...(await installationChecks(shell, access))];
}

function versionOf({ environment: env }: World, program: string): string | undefined {
  const options = { encoding: 'utf8', env: { ...env }, timeout: 10_000 } as const;
  const { status, stdout } = spawnSync(program, ['--version'], options);
  return status === 0 ? stdout.split('\n', 1)[0] : undefined;
}

const GIB = 1_073_741_824;

/** What an installation on this machine builds with. */
function builders(world: World): Check[] {
  const python = versionOf(world, world.platform === 'win32' ? 'python' : 'python3');
  const uv = versionOf(world, 'uv') ?? 'uv comes with the first build';
  const { bavail, bsize } = statfsSync(world.cwd);
  const free = (bavail * bsize) / GIB;
  return [
    python === undefined
      ? check('warn', 'python', 'not there, so that no agents in Python are built', 'install 3.11 or later')
      : check('ok', 'python', `${python}, ${uv}`),
    check(free < 1 ? 'warn' : 'ok', 'disk', `${free.toFixed(1)} GiB free`, 'a build takes some 300 MB'),
  ];
}

const PORT = 4400;

/** Whether `npm start` would find its port free. */
const portCheck = ({ environment }: World): Promise<Check> =>
  new Promise((resolve) => {
    const port = Number(environment.PORT) || PORT;
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (status: Status, says: string) => {
      socket.destroy();
      resolve(check(status, 'port', says, `PORT=${port + 1} npm start`));
    };
    socket.once('connect', () => end('warn', `${port} is taken`));
    socket.once('error', () => end('ok', `${port} is free`));
  });

const REACHED_MILLISECONDS = 10_000;

async function installationChecks(shell: Shell, { url, source }: Access): Promise<Check[]> {
  const { world } = shell;
  const before = world.now();
  const unreachable = (says: string) => [
    check('fail', 'reachable', `${url} (${source}) ${says}`, 'is it the address, and does it run?'),
  ];
  let answer: Response;
  try {
    answer = await world.fetch(`${url}/ok`, { signal: AbortSignal.timeout(REACHED_MILLISECONDS) });
  } catch (error) {
    return unreachable(`does not answer: ${causeOf(error)}`);
  }
  const server = answer.headers.get(VERSION_HEADER);
  if (!answer.ok || server === null) return unreachable(`answers ${answer.status}, and is not Slipway`);
  const isSame = server === world.version;
  return [
    check('ok', 'reachable', `${url} in ${world.now() - before} ms (${source})`),
    check(
      isSame ? 'ok' : 'warn',
      'version',
      isSame ? server : `${server} there, ${world.version} here`,
      'slipway upgrade',
    ),
    clockCheck(answer.headers.get('Date'), world.now()),
    await credentialCheck(shell),
  ];
}

const SKEW_SECONDS_WARN = 30;
/** Signed addresses and tokens of identity providers are refused from about here. */
const SKEW_SECONDS_FAIL = 300;

function clockCheck(date: string | null, now: number): Check {
  const skew = Math.round((now - Date.parse(date ?? '')) / 1000);
  const size = Math.abs(skew);
  const status = size >= SKEW_SECONDS_FAIL ? 'fail' : size >= SKEW_SECONDS_WARN ? 'warn' : 'ok';
  const says = `${size} s ${skew < 0 ? 'behind' : 'ahead of'} the installation's`;
  return check(status, 'clock', says, 'set it by NTP');
}

const SOON_MILLISECONDS = 7 * 86_400_000;

async function credentialCheck({ client, access, world }: Shell): Promise<Check> {
  const again = `slipway login ${access.url}`;
  try {
    const { role, expires_at: end } = await client.ask('GET /v2/me', {}, { signal: world.signal });
    const says = `${role ?? 'signed in'}${end === null ? '' : ` until ${end}`}`;
    const isSoon = end !== null && Date.parse(end) - world.now() < SOON_MILLISECONDS;
    return check(isSoon ? 'warn' : 'ok', 'credential', says, again);
  } catch (error) {
    return check('fail', 'credential', causeOf(error), again);
  }
}
