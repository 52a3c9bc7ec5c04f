import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { printedBy } from '../tools.ts';
import { type GroupRecord, processesOf } from './read.ts';
import { hasProc } from './source.ts';

/**
 * A TCP port that a process listens on. `host` is where to reach it from this machine; `everywhere`: other
 * machines may reach it, too.
 */
export type Listening = { host: '127.0.0.1' | '::1'; port: number; everywhere?: true };

/** A port with the process that listens on it. */
type Listener = Listening & { pid: number };

const STATE_LISTEN = '0A';
const REACHED_BY_IPV4 = new Set(['0100007F', '0000000000000000FFFF00000100007F']);
const EVERYWHERE = new Set(['00000000', '0'.repeat(32), '0000000000000000FFFF000000000000']);
const IPV6_LOOPBACK = '00000000000000000000000001000000';

/** Reads the listening rows of /proc/net/tcp or tcp6: socket inode -> where it can be reached. */
export function parseListening(text: string): Map<string, Listening> {
  const found = new Map<string, Listening>();
  for (const line of text.split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/);
    const [address = '', port = ''] = (fields[1] ?? '').split(':');
    const inode = fields[9];
    if (fields[3] !== STATE_LISTEN || inode === undefined) continue;
    const where = reachedAt(address, Number.parseInt(port, 16));
    if (where !== undefined) found.set(inode, where);
  }
  return found;
}

function reachedAt(address: string, port: number): Listening | undefined {
  if (EVERYWHERE.has(address)) return { host: '127.0.0.1', port, everywhere: true };
  if (REACHED_BY_IPV4.has(address)) return { host: '127.0.0.1', port };
  return address === IPV6_LOOPBACK ? { host: '::1', port } : undefined;
}

/**
 * The tables of the kernel: reading one takes it milliseconds, so they are read one after the other, for
 * sockets only that may be in them.
 */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

/** Which of these sockets listen where they can be reached. */
function listeningOf(sockets: ReadonlySet<string>): Map<string, Listening> {
  const asked = sockets.difference(localSockets());
  const found = new Map<string, Listening>();
  for (const file of TABLES) {
    if (found.size === asked.size) break;
    for (const [inode, where] of readListening(file)) if (asked.has(inode)) found.set(inode, where);
  }
  return found;
}

function readListening(file: string): Map<string, Listening> {
  try {
    return parseListening(readFileSync(file, 'utf8'));
  } catch {
    return new Map(); // No IPv6 here.
  }
}

/** The sockets that are no network's, as our ends of the standard streams are; this table is a quick one. */
function localSockets(): Set<string> {
  const rows = readFileSync('/proc/self/net/unix', 'utf8').split('\n');
  return new Set(rows.slice(1).flatMap((row) => row.split(/\s+/)[6] ?? []));
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

/**
 * Reads `lsof -Fpn`: a line like `p123` for a process, then lines like `n127.0.0.1:8000`, `n*:8000`,
 * `n[::1]:8000` for its ports.
 */
export function parseLsof(text: string): Listener[] {
  let pid = 0;
  return text.split('\n').flatMap((line): Listener[] => {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    const [, address, port] = /^n(.*):(\d+)$/.exec(line) ?? [];
    if (address === '[::1]') return [{ host: '::1', port: Number(port), pid }];
    if (address === '127.0.0.1') return [{ host: '127.0.0.1', port: Number(port), pid }];
    const everywhere = address === '*' || address === '0.0.0.0' || address === '[::]';
    return everywhere ? [{ host: '127.0.0.1', port: Number(port), everywhere, pid }] : [];
  });
}

/** What members of the group listen on, without /proc. */
function lsofOf(group: GroupRecord): Listener[] {
  const pids = processesOf(group).map(({ pid }) => pid);
  if (pids.length === 0) return [];
  return parseLsof(printedBy('lsof', ['-nP', '-a', '-iTCP', '-sTCP:LISTEN', '-p', pids.join(','), '-Fpn']));
}

/** The TCP ports that processes of this group listen on, as far as they can be reached from this machine. */
export function listenersOf(group: GroupRecord): Listening[] {
  if (!hasProc()) return lsofOf(group).map(({ pid: _, ...where }) => where);
  const inodes = new Set(processesOf(group).flatMap((row) => socketsOf(row.pid)));
  return [...listeningOf(inodes).values()];
}

/** The one among `listening` that has this port, reached over IPv4 if possible. */
export function onPort(listening: Listening[], port: number): Listening | undefined {
  const found = listening.filter((one) => one.port === port);
  return found.find((one) => one.host === '127.0.0.1') ?? found[0];
}

/** The processes of this group that listen on the port. */
export function pidsOnPort(group: GroupRecord, port: number): number[] {
  if (!hasProc()) {
    const listening = lsofOf(group).filter((one) => one.port === port);
    return [...new Set(listening.map(({ pid }) => pid))];
  }
  const sockets = processesOf(group).map(({ pid }) => ({ pid, inodes: socketsOf(pid) }));
  const listening = listeningOf(new Set(sockets.flatMap(({ inodes }) => inodes)));
  return sockets
    .filter(({ inodes }) => inodes.some((inode) => listening.get(inode)?.port === port))
    .map(({ pid }) => pid);
}
