import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { BuildFailure } from '../failure.ts';
import { dockerEnvironment, type Machine } from './machine.ts';
import { ownEnvironment, run } from './run.ts';

/**
 * Keeps what runs inside image builds from the machine's metadata, from the credentials that its role has,
 * from Docker's own API and from private networks.
 */

/** Container builds need the resolver of the network, which has an address in the same range. */
const RESOLVER = '169.254.169.253';
/**
 * Instance metadata and container credentials. Docker itself fetches what `ADD <url>` names, from this
 * machine.
 */
const METADATA_ADDRESSES = ['169.254.169.254', '169.254.170.2'];
/** The same by IPv6. */
const METADATA_ADDRESSES_6 = ['fd00:ec2::254', 'fd00:ec2::23'];
/** RFC 1918 and RFC 6598: a network that the machine may be in. */
const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'];
/** Whoever reaches Docker's API on this machine is root on it. */
const DOCKER_API = ['-d', '127.0.0.0/8', '-p', 'tcp', '--dport', '2375'];
/** Answers to what came from elsewhere are let through: containers' own addresses are private too. */
const NEW = ['-m', 'conntrack', '--ctstate', 'NEW'];
const DOCKER_SECONDS_MAX = 60;

type Firewall = 'iptables' | 'ip6tables';

export type Isolation = {
  /**
   * Closes the way to metadata, credentials, Docker's API and private networks. Throws BuildFailure when that
   * is not certain.
   */
  block(): Promise<void>;
  /** Opens it for this machine's own processes again, after all builds; containers stay blocked. */
  allow(): Promise<void>;
};

export function isolationOf(machine: Machine): Isolation {
  const blocked: [Firewall, string[]][] = [];
  const blockHere = async (tool: Firewall, rule: string[]) => {
    await insert(tool, rule);
    blocked.push([tool, rule]);
  };
  /** Containers reach nothing of the network, this machine none of the addresses. */
  const block = async (tool: Firewall, chain: string, network: string, addresses: string[]) => {
    await insert(tool, [chain, '-d', network, '-j', 'DROP']);
    for (const address of addresses) await blockHere(tool, reject('-d', address));
  };
  return {
    async block() {
      machine.step = 'isolation';
      await awaitDocker(machine);
      await block('iptables', 'DOCKER-USER', '169.254.0.0/16', METADATA_ADDRESSES);
      for (const network of PRIVATE_NETWORKS) {
        await insert('iptables', ['DOCKER-USER', '-d', network, ...NEW, '-j', 'DROP']);
        await blockHere('iptables', reject('-d', network, ...NEW));
      }
      await blockHere('iptables', reject(...DOCKER_API));
      // What listens on this machine can be reached by its address on Docker's bridge.
      await insert('iptables', ['INPUT', '-i', 'docker0', ...NEW, '-j', 'DROP']);
      // Inserted last, so that these rules come first.
      for (const resolver of new Set([RESOLVER, ...(await resolvers())]))
        for (const protocol of ['udp', 'tcp']) {
          const ask = ['-d', resolver, '-p', protocol, '--dport', '53'];
          await insert('iptables', ['DOCKER-USER', ...ask, '-j', 'RETURN']);
          await blockHere('iptables', ['OUTPUT', ...ask, '-j', 'ACCEPT']);
        }
      // Docker makes no chain of its own for IPv6 unless it is told to.
      if (await leavesByIpv6()) await block('ip6tables', 'FORWARD', 'fd00:ec2::/32', METADATA_ADDRESSES_6);
    },
    async allow() {
      for (const [tool, rule] of blocked) await change(tool, '-D', rule);
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

/**
 * Whether this machine has an address by which IPv6 leaves it: one that is neither its own loopback nor for
 * one link.
 */
async function leavesByIpv6(): Promise<boolean> {
  const text = await readFile('/proc/net/if_inet6', 'utf8').catch(() => '');
  const scopes = text.split('\n').flatMap((line) => line.trim().split(/\s+/)[3] ?? []);
  return scopes.some((scope) => scope !== '10' && scope !== '20');
}

/** The name servers of this machine by IPv4, which may be in a private network. */
async function resolvers(): Promise<string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  const named = [...text.matchAll(/^nameserver\s+(\d+\.\d+\.\d+\.\d+)\s*$/gm)];
  return named.flatMap(([, address]) =>
    address === undefined || address.startsWith('127.') ? [] : [address],
  );
}

const reject = (...what: string[]): string[] => ['OUTPUT', ...what, '-j', 'REJECT'];

async function insert(tool: Firewall, rule: string[]): Promise<void> {
  if ((await change(tool, '-I', rule)) && (await change(tool, '-C', rule))) return;
  throw new BuildFailure(
    'The build machine could not be isolated from its own credentials, so nothing was built',
  );
}

async function change(tool: Firewall, how: '-I' | '-C' | '-D', rule: string[]): Promise<boolean> {
  return (await run(tool, ['-w', '10', how, ...rule], { env: ownEnvironment() })).code === 0;
}
