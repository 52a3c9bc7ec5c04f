import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { BuildFailure } from '../failure.ts';
import { dockerEnvironment, type Machine } from './machine.ts';
import { ownEnvironment, run } from './run.ts';

/**
 * Keeps what runs inside image builds from the machine's metadata and from the credentials that its role has.
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
const DOCKER_SECONDS_MAX = 60;

type Firewall = 'iptables' | 'ip6tables';

export type Isolation = {
  /** Closes the way to metadata and credentials. Throws BuildFailure when that is not certain. */
  block(): Promise<void>;
  /** Opens it for this machine's own processes again, after all builds; containers stay blocked. */
  allow(): Promise<void>;
};

export function isolationOf(machine: Machine): Isolation {
  const blocked: [Firewall, string][] = [];
  /** Containers reach nothing of the network, this machine none of the addresses. */
  const block = async (tool: Firewall, chain: string, network: string, addresses: string[]) => {
    await insert(tool, [chain, '-d', network, '-j', 'DROP']);
    for (const address of addresses) {
      await insert(tool, reject(address));
      blocked.push([tool, address]);
    }
  };
  return {
    async block() {
      machine.step = 'isolation';
      await awaitDocker(machine);
      await block('iptables', 'DOCKER-USER', '169.254.0.0/16', METADATA_ADDRESSES);
      for (const protocol of ['udp', 'tcp'])
        await insert('iptables', [
          'DOCKER-USER',
          '-d',
          RESOLVER,
          '-p',
          protocol,
          '--dport',
          '53',
          '-j',
          'RETURN',
        ]);
      // Docker makes no chain of its own for IPv6 unless it is told to.
      if (await leavesByIpv6()) await block('ip6tables', 'FORWARD', 'fd00:ec2::/32', METADATA_ADDRESSES_6);
    },
    async allow() {
      for (const [tool, address] of blocked) await change(tool, '-D', reject(address));
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

const reject = (address: string): string[] => ['OUTPUT', '-d', address, '-j', 'REJECT'];

async function insert(tool: Firewall, rule: string[]): Promise<void> {
  if ((await change(tool, '-I', rule)) && (await change(tool, '-C', rule))) return;
  throw new BuildFailure(
    'The build machine could not be isolated from its own credentials, so nothing was built',
  );
}

async function change(tool: Firewall, how: '-I' | '-C' | '-D', rule: string[]): Promise<boolean> {
  return (await run(tool, ['-w', '10', how, ...rule], { env: ownEnvironment() })).code === 0;
}
