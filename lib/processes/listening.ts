import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type GroupRecord, membersOf } from './process-table.ts';

/** A TCP port that a process listens on. `host` is where to reach it from this machine. */
export type Listening = { host: '127.0.0.1' | '::1'; port: number };

const STATE_LISTEN = '0A';
const REACHED_BY_IPV4 = new Set(['0100007F', '00000000', '0'.repeat(32), '0000000000000000FFFF00000100007F']);
const IPV6_LOOPBACK = '00000000000000000000000001000000';

/** Reads the listening rows of /proc/net/tcp or tcp6: socket inode -> where it can be reached. */
export function parseListening(text: string): Map<string, Listening> {
  const found = new Map<string, Listening>();
  for (const line of text.split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/);
    const [address = '', port = ''] = (fields[1] ?? '').split(':');
    const inode = fields[9];
    if (fields[3] !== STATE_LISTEN || inode === undefined) continue;
    if (REACHED_BY_IPV4.has(address))
      found.set(inode, { host: '127.0.0.1', port: Number.parseInt(port, 16) });
    if (address === IPV6_LOOPBACK) found.set(inode, { host: '::1', port: Number.parseInt(port, 16) });
  }
  return found;
}

function readListening(): Map<string, Listening> {
  const tables = ['/proc/self/net/tcp', '/proc/self/net/tcp6'].map((file) => {
    try {
      return parseListening(readFileSync(file, 'utf8'));
    } catch {
      return new Map<string, Listening>(); // No IPv6 here.
    }
  });
  return new Map(tables.flatMap((table) => [...table]));
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** Reads `lsof -Fn`: lines like `n127.0.0.1:8000`, `n*:8000`, `n[::1]:8000`. */
export function parseLsof(text: string): Listening[] {
  return text.split('\n').flatMap((line): Listening[] => {
    const [, address, port] = /^n(.*):(\d+)$/.exec(line) ?? [];
    if (address === '[::1]') return [{ host: '::1', port: Number(port) }];
    const reached = address === '*' || address === '127.0.0.1' || address === '0.0.0.0' || address === '[::]';
    return reached ? [{ host: '127.0.0.1', port: Number(port) }] : [];
  });
}

function lsofOf(group: GroupRecord): Listening[] {
  if (group.pid === undefined) return [];
  try {
    const args = ['-nP', '-a', '-iTCP', '-sTCP:LISTEN', '-g', String(group.pid), '-Fn'];
    return parseLsof(execFileSync('lsof', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return []; // lsof exits 1 when it finds nothing.
  }
}

/** The TCP ports that processes of this group listen on, as far as they can be reached from this machine. */
export function listenersOf(group: GroupRecord): Listening[] {
  if (process.platform !== 'linux') return lsofOf(group);
  const listening = readListening();
  if (listening.size === 0) return [];
  return membersOf(group).flatMap((row) =>
    socketsOf(row.pid).flatMap((inode) => {
      const found = listening.get(inode);
      return found === undefined ? [] : [found];
    }),
  );
}

/** The one among `listening` that has this port, reached over IPv4 if possible. */
export function onPort(listening: Listening[], port: number): Listening | undefined {
  const found = listening.filter((one) => one.port === port);
  return found.find((one) => one.host === '127.0.0.1') ?? found[0];
}

/** The processes of this group that listen on the port. */
export function pidsOnPort(group: GroupRecord, port: number): number[] {
  if (process.platform !== 'linux') return lsofPids(group, port);
  const inodes = new Set(
    [...readListening()].flatMap(([inode, found]) => (found.port === port ? [inode] : [])),
  );
  return membersOf(group).flatMap(({ pid }) =>
    socketsOf(pid).some((inode) => inodes.has(inode)) ? [pid] : [],
  );
}

function lsofPids(group: GroupRecord, port: number): number[] {
  if (group.pid === undefined) return [];
  try {
    const args = ['-nP', '-a', `-iTCP:${port}`, '-sTCP:LISTEN', '-g', String(group.pid), '-t'];
    const text = execFileSync('lsof', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return text.split('\n').filter(Boolean).map(Number);
  } catch {
    return []; // lsof exits 1 when it finds nothing.
  }
}
