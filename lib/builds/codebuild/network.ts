import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildFailure } from '../failure.ts';
import { dockerEnvironment, inNetwork, type Machine } from './machine.ts';
import { say } from './report.ts';
import { bareEnvironment, run } from './run.ts';

/** An archive without a file: two empty blocks end it. */
const EMPTY_TAR = '\0'.repeat(1024);
const IMAGE = 'slipway-network';
/** What `sleep` of this machine needs to run. */
const PROGRAMS = ['/usr', '/lib', '/lib64'];

/** Of the second Docker. Its data must lie where the first one's does: layers cannot be laid over layers. */
const SOCKET = '/var/run/slipway-docker.sock';
const OWN_PLACES = [
  `--host=unix://${SOCKET}`,
  '--data-root=/var/lib/docker/slipway',
  '--exec-root=/var/run/slipway-docker',
  '--pidfile=/var/run/slipway-docker.pid',
  // Where the machine has a containerd for all, neither takes the other's containers for its own.
  '--containerd-namespace=slipway',
  '--containerd-plugins-namespace=slipway-plugins',
  // As the first one is started; another one would be slow.
  '--storage-driver=overlay2',
];
const LOG_LINES = 20;

/**
 * Opens the network that everything of the build happens in, and starts a Docker of its own there; from here
 * on the machine's programs for a build run in it. A container has made the network, and does nothing else.
 * Throws BuildFailure.
 */
export async function openNetwork(machine: Machine): Promise<void> {
  const docker = async (args: string[], input?: string) => {
    const env = dockerEnvironment(machine);
    const { code, output } = await run('docker', args, { env, output: 'read', ...(input && { input }) });
    if (code !== 0) throw new BuildFailure('The build machine could not open a network for the build');
    return output.trim();
  };
  await docker(['import', '-', IMAGE], EMPTY_TAR);
  const mounts = PROGRAMS.filter(existsSync).map((folder) => `--volume=${folder}:${folder}:ro`);
  const sleep = ['run', '--detach', '--network=bridge', ...mounts, IMAGE, '/usr/bin/sleep', 'infinity'];
  const container = await docker(sleep);
  const pid = await docker(['inspect', '--format={{.State.Pid}}', container]);
  machine.network = { path: `/proc/${pid}/ns/net`, dockerHost: `unix://${SOCKET}` };
  await startDocker(machine);
}

/** It goes on by itself, and ends with the machine. */
async function startDocker(machine: Machine): Promise<void> {
  const file = join(machine.work, 'docker.log');
  const log = await open(file, 'w');
  const daemon = spawn(...inNetwork(machine, 'dockerd', OWN_PLACES), {
    env: bareEnvironment(machine.home),
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  });
  daemon.unref();
  daemon.on('error', (error) => say(`dockerd: ${error.message}`));
  daemon.on('exit', () => void sayLastLines(file));
  await log.close();
}

async function sayLastLines(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  for (const line of text.split('\n').filter(Boolean).slice(-LOG_LINES)) say(`dockerd: ${line}`);
}
