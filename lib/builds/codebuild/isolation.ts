import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { BuildFailure } from '../failure.ts';
import { dockerEnvironment, type Machine } from './machine.ts';
import { openNetwork } from './network.ts';
import { ownEnvironment, run } from './run.ts';

/** Docker's own bridge: whatever comes from a container of this machine comes through it. */
const BRIDGE = 'docker0';

type Network = {
  tool: 'iptables' | 'ip6tables';
  /** What containers send to elsewhere goes through this chain. */
  chain: string;
  /** Destinations that are closed. */
  closed: string[][];
};

const IPV4: Network = {
  tool: 'iptables',
  chain: 'DOCKER-USER',
  // Link-local, where metadata and credentials are; RFC 1918 and RFC 6598, which the machine may be in.
  closed: ['169.254.0.0/16', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].map(
    (network) => ['-d', network],
  ),
};
/** Docker gives no container an address of IPv6 unless it is told to. */
const IPV6: Network = { tool: 'ip6tables', chain: 'FORWARD', closed: [[]] };
/** Of AWS; it lies in a closed network, as those of this machine may. */
const RESOLVER = '169.254.169.253';

/** Answers to what came from elsewhere are let through: containers' own addresses are private too. */
const NEW = ['-m', 'conntrack', '--ctstate', 'NEW'];
const DOCKER_SECONDS_MAX = 60;

/**
 * Shuts in what builds run, and what is fetched for them: it gets no way to the machine's metadata, to the
 * credentials that its role has, to the machine itself, or to private networks. What is open: the resolvers
 * of names, and public addresses.
 *
 * It all happens in one network, that of a container: git with its submodules, Docker itself, which fetches
 * what `ADD <url>` names, and Docker's client, which gets tokens where a registry tells it to. So the rules
 * name the bridge of that network alone. What else this machine sends, as CodeBuild's own agent does, meets
 * none of them. Throws BuildFailure when it is not certain that the build is shut in.
 */
export async function isolate(machine: Machine): Promise<void> {
  machine.step = 'isolation';
  await awaitDocker(machine);
  await closeBridge();
  await openNetwork(machine);
  await awaitDocker(machine);
}

/** Closes the way from containers to all that builds must not reach. Each rule lies above earlier ones. */
export async function closeBridge(): Promise<void> {
  for (const network of (await hasIpv6()) ? [IPV4, IPV6] : [IPV4]) {
    for (const where of network.closed)
      await insert(network, [network.chain, '-i', BRIDGE, ...where, ...NEW, '-j', 'REJECT']);
    await insert(network, ['INPUT', '-i', BRIDGE, ...NEW, '-j', 'DROP']);
  }
  for (const resolver of await resolvers())
    for (const protocol of ['udp', 'tcp'])
      await insert(IPV4, [
        IPV4.chain,
        ...['-i', BRIDGE, '-d', resolver, '-p', protocol, '--dport', '53', '-j', 'ACCEPT'],
      ]);
}

/** Until the Docker that builds use at this point answers. */
async function awaitDocker(machine: Machine): Promise<void> {
  const deadline = Date.now() + DOCKER_SECONDS_MAX * 1000;
  const env = dockerEnvironment(machine);
  while ((await run('docker', ['info'], { env, output: 'hidden' })).code !== 0) {
    if (Date.now() > deadline) throw new BuildFailure('Docker is not running on the build machine');
    await delay(250);
  }
}

/** Whether this machine has another address of IPv6 than its own loopback. */
async function hasIpv6(): Promise<boolean> {
  const text = await readFile('/proc/net/if_inet6', 'utf8').catch(() => '');
  const scopes = text.split('\n').flatMap((line) => line.trim().split(/\s+/)[3] ?? []);
  return scopes.some((scope) => scope !== '10');
}

/** The name servers of this machine that a container can reach. */
async function resolvers(): Promise<Set<string>> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  const named = [...text.matchAll(/^nameserver\s+([^\s%]+)/gm)].map(([, address = '']) => address);
  return new Set([RESOLVER, ...named.filter((address) => isIP(address) === 4)]);
}

async function insert(network: Network, rule: string[]): Promise<void> {
  if ((await change(network, '-I', rule)) && (await change(network, '-C', rule))) return;
  throw new BuildFailure(
    'The build machine could not be isolated from its own credentials, so nothing was built',
  );
}

async function change({ tool }: Network, how: '-I' | '-C', rule: string[]): Promise<boolean> {
  return (await run(tool, ['-w', '10', how, ...rule], { env: ownEnvironment() })).code === 0;
}
