import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { BuildFailure } from '../failure.ts';
import { dockerEnvironment, type Machine } from './machine.ts';
import { ownEnvironment, run } from './run.ts';

/**
 * Keeps what runs inside image builds, and what this machine fetches for them, from the machine's metadata,
 * from the credentials that its role has, from Docker's own API and from private networks. What is open: the
 * resolvers of names, and public addresses.
 */

type Network = {
  tool: 'iptables' | 'ip6tables';
  /** What containers send goes through this chain. */
  chain: string;
  /** Destinations that are closed. */
  closed: string[][];
  /** Of AWS; it lies in a closed network, as those of this machine may. */
  resolver: string;
};

const IPV4: Network = {
  tool: 'iptables',
  chain: 'DOCKER-USER',
  // Link-local, where metadata and credentials are; RFC 1918 and RFC 6598, which the machine may be in.
  closed: ['169.254.0.0/16', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].map(
    (network) => ['-d', network],
  ),
  resolver: '169.254.169.253',
};
const IPV6: Network = {
  tool: 'ip6tables',
  // Docker makes no chain of its own for IPv6 unless it is told to.
  chain: 'FORWARD',
  // Public hosts are in this network: all else is local or private, or IPv4 in another form.
  closed: [['!', '-d', '2000::/3']],
  resolver: 'fd00:ec2::253',
};

/**
 * Whoever reaches Docker's API on this machine is root on it. All of the machine's own addresses are reached
 * by way of `lo`.
 */
const DOCKER_API = ['-o', 'lo', '-p', 'tcp', '--dport', '2375'];
/** Where connections to this machine may come from: every other interface is a bridge of containers. */
const OUTSIDE = ['eth+', 'lo'];
/** Answers to what came from elsewhere are let through: containers' own addresses are private too. */
const NEW = ['-m', 'conntrack', '--ctstate', 'NEW'];
const DOCKER_SECONDS_MAX = 60;

export type Isolation = {
  /** Closes all of that. Throws BuildFailure when that is not certain. */
  block(): Promise<void>;
  /** Opens it for this machine's own processes again, after all builds; containers stay blocked. */
  allow(): Promise<void>;
};

export function isolationOf(machine: Machine): Isolation {
  const blocked: [Network, string[]][] = [];
  const blockHere = async (network: Network, rule: string[]) => {
    await insert(network, ['OUTPUT', ...rule]);
    blocked.push([network, ['OUTPUT', ...rule]]);
  };
  /** Each rule comes before those that were inserted earlier. Docker itself fetches what `ADD <url>` names. */
  const close = async (network: Network) => {
    for (const where of network.closed) {
      await insert(network, [network.chain, ...where, ...NEW, '-j', 'DROP']);
      await blockHere(network, [...where, ...NEW, '-j', 'REJECT']);
    }
    await blockHere(network, [...DOCKER_API, '-j', 'REJECT']);
    await insert(network, ['INPUT', ...NEW, '-j', 'DROP']);
    for (const name of OUTSIDE) await insert(network, ['INPUT', '-i', name, '-j', 'ACCEPT']);
    for (const resolver of await resolversOf(network))
      for (const protocol of ['udp', 'tcp']) {
        const ask = ['-d', resolver, '-p', protocol, '--dport', '53', '-j', 'ACCEPT'];
        await insert(network, [network.chain, ...ask]);
        await blockHere(network, ask);
      }
  };
  return {
    async block() {
      machine.step = 'isolation';
      await awaitDocker(machine);
      for (const network of (await hasIpv6()) ? [IPV4, IPV6] : [IPV4]) await close(network);
    },
    async allow() {
      for (const [network, rule] of blocked) await change(network, '-D', rule);
    },
  };
}

async function awaitDocker(machine: Machine): Promise<void> {
  const deadline = Date.now() + DOCKER_SECONDS_MAX * 1000;
  const env = dockerEnvironment(machine);
  while ((await run('docker', ['info'], { env, output: 'hidden' })).code !== 0) {
    if (Date.now() > deadline) throw new BuildFailure('Docker is not running on the build machine');
    await delay(1000);
  }
}

/** Whether this machine has another address of IPv6 than its own loopback. */
async function hasIpv6(): Promise<boolean> {
  const text = await readFile('/proc/net/if_inet6', 'utf8').catch(() => '');
  const scopes = text.split('\n').flatMap((line) => line.trim().split(/\s+/)[3] ?? []);
  return scopes.some((scope) => scope !== '10');
}

/** The name servers that are reached by this network, without a link's name behind their address. */
async function resolversOf({ tool, resolver }: Network): Promise<Set<string>> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  const named = [...text.matchAll(/^nameserver\s+([^\s%]+)/gm)].map(([, address = '']) => address);
  const version = tool === 'iptables' ? 4 : 6;
  return new Set([resolver, ...named.filter((address) => isIP(address) === version)]);
}

async function insert(network: Network, rule: string[]): Promise<void> {
  if ((await change(network, '-I', rule)) && (await change(network, '-C', rule))) return;
  throw new BuildFailure(
    'The build machine could not be isolated from its own credentials, so nothing was built',
  );
}

async function change({ tool }: Network, how: '-I' | '-C' | '-D', rule: string[]): Promise<boolean> {
  return (await run(tool, ['-w', '10', how, ...rule], { env: ownEnvironment() })).code === 0;
}
