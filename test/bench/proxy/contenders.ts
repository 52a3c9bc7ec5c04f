import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProxyProcess, targetAt } from '../../../lib/compute/process/proxy-process.ts';
import { freePort } from '../../../lib/processes/free-port.ts';
import { endWithRun } from '../../support/run/end-with-run.ts';
import { until } from '../../support/until.ts';
import type { Where } from './requests.ts';

/** Something that passes requests on. `pid`: what does the work, for its memory and its processor. */
export type Contender = { where: Where; pid: () => number | undefined; end: () => Promise<void> };

/** Idle streams take two connections each. */
const CONNECTIONS_MAX = 4096;

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** A program of ours that tells its port. */
export async function program(name: string, args: readonly string[] = []): Promise<Contender> {
  const child = fork(beside(name), args);
  endWithRun(child);
  const [port]: unknown[] = await once(child, 'message');
  return { where: { port: Number(port), path: '' }, pid: () => child.pid, end: () => ended(child) };
}

export async function ours(behind: number): Promise<Contender> {
  const proxy = new ProxyProcess({
    options: { port: 0, pathPrefix: '/d' },
    marking: {},
    log: { warn: (line) => console.log(line) },
  });
  const port = await proxy.listen();
  const target = { ...targetAt({ host: '127.0.0.1', port: behind }), traffic: 'app/first' };
  await proxy.route('app').moveTo(target);
  await proxy.open();
  return { where: { port, path: '/d/app' }, pid: () => proxy.pid, end: () => proxy.close() };
}

const nginxConfiguration = (folder: string, port: number, behind: number): string => `
daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections ${CONNECTIONS_MAX}; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  upstream app { server 127.0.0.1:${behind}; keepalive 256; }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 1000000000;
    location /d/app/ {
      proxy_pass http://app/;
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Prefix /d/app;
    }
  }
}
`;

const haproxyConfiguration = (port: number, behind: number): string => `
global
  nbthread 1
  maxconn ${CONNECTIONS_MAX}
defaults
  mode http
  timeout connect 10s
  timeout client 1h
  timeout server 1h
  option forwardfor
  http-reuse always
frontend agents
  bind 127.0.0.1:${port}
  http-request set-header X-Forwarded-Prefix /d/app
  http-request replace-path /d/app(/.*) \\1
  default_backend app
backend app
  server app 127.0.0.1:${behind} pool-max-conn -1
`;

/** Undefined: the program is not installed. */
async function installed(
  command: string,
  folder: string,
  { port, args, configuration }: { port: number; args: string[]; configuration: string },
): Promise<Contender | undefined> {
  const own = join(folder, command);
  await mkdir(own, { recursive: true });
  await writeFile(join(own, 'configuration'), configuration);
  // Programs for operators are not on everybody's path.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
  const child = spawn(command, [...args, join(own, 'configuration')], { stdio: 'ignore', env });
  endWithRun(child);
  const isThere = await new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  if (isThere === false) return undefined;
  const listens = async () => {
    if (child.exitCode !== null) throw new Error(`${command} has ended with code ${child.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const isConnected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isConnected;
  };
  await until(listens, { what: `${command} to listen` });
  return { where: { port, path: '/d/app' }, pid: () => child.pid, end: () => ended(child) };
}

/** One worker, as each of the others has. */
export async function nginx(folder: string, behind: number): Promise<Contender | undefined> {
  const port = await freePort();
  const configuration = nginxConfiguration(join(folder, 'nginx'), port, behind);
  return installed('nginx', folder, { port, args: ['-c'], configuration });
}

export async function haproxy(folder: string, behind: number): Promise<Contender | undefined> {
  const port = await freePort();
  return installed('haproxy', folder, {
    port,
    args: ['-f'],
    configuration: haproxyConfiguration(port, behind),
  });
}
