import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const isolation = fileURLToPath(new URL('../../../lib/builds/codebuild/isolation.ts', import.meta.url));

/** Networks of one's own, and rules in them, are for root, and for machines that have the tools. */
const canTry =
  process.getuid?.() === 0 &&
  ['ip', 'iptables', 'ip6tables', 'curl', 'nsenter'].every(
    (tool) => spawnSync('which', [tool], { stdio: 'ignore' }).status === 0,
  );

const METADATA = '169.254.169.254';
const CREDENTIALS = '169.254.170.2';
const PRIVATE = '10.9.0.1';
const PUBLIC = '203.0.113.1';
const OF_THE_MACHINE = '203.0.113.2';

/**
 * A build machine with the bridge and the chain that Docker makes, a container on the bridge, and a world
 * with public and private addresses, all of which answer.
 */
async function aMachine() {
  const id = `sw${process.pid}`;
  const [world, machine, container] = [`${id}w`, `${id}m`, `${id}c`];
  const ip = (line: string) => execFileSync('ip', line.split(' '), { stdio: 'pipe' });
  const inside = (network: string, command: string, args: string[]) =>
    spawnSync('nsenter', [`--net=/run/netns/${network}`, command, ...args], { encoding: 'utf8' });
  const onMachine = (line: string) =>
    expect(inside(machine, 'sh', ['-c', line])).toMatchObject({ status: 0 });
  for (const network of [world, machine, container]) {
    ip(`netns add ${network}`);
    onTestFinished(() => void spawnSync('ip', ['netns', 'del', network]));
    ip(`-n ${network} link set lo up`);
  }
  ip(`link add ${id}a netns ${machine} type veth peer name ${id}b netns ${world}`);
  ip(`-n ${machine} addr add ${OF_THE_MACHINE}/24 dev ${id}a`);
  ip(`-n ${world} addr add ${PUBLIC}/24 dev ${id}b`);
  for (const address of [METADATA, CREDENTIALS, PRIVATE]) ip(`-n ${world} addr add ${address}/32 dev lo`);
  ip(`-n ${machine} link add docker0 type bridge`);
  ip(`-n ${machine} addr add 172.17.0.1/16 dev docker0`);
  ip(`link add ${id}d netns ${machine} type veth peer name eth0 netns ${container}`);
  ip(`-n ${machine} link set ${id}d master docker0`);
  ip(`-n ${container} addr add 172.17.0.2/16 dev eth0`);
  for (const [network, link] of [
    [machine, `${id}a`],
    [world, `${id}b`],
    [machine, 'docker0'],
    [machine, `${id}d`],
    [container, 'eth0'],
  ])
    ip(`-n ${network} link set ${link} up`);
  ip(`-n ${machine} route add default via ${PUBLIC}`);
  ip(`-n ${container} route add default via 172.17.0.1`);
  ip(`-n ${world} route add 172.17.0.0/16 via ${OF_THE_MACHINE}`);
  onMachine('echo 1 >/proc/sys/net/ipv4/ip_forward');
  onMachine(
    'iptables -N DOCKER-USER && iptables -A DOCKER-USER -j RETURN && iptables -I FORWARD -j DOCKER-USER',
  );
  await Promise.all([serve(world), serve(machine)]);
  const reaches = (network: string, address: string) =>
    inside(network, 'curl', ['-s', '-m', '2', `http://${address}/`]).stdout === 'here';
  return {
    fromContainer: (address: string) => reaches(container, address),
    fromMachine: (address: string) => reaches(machine, address),
    /** Runs the builder's own function there. */
    close: () => {
      const program = `(await import(${JSON.stringify(isolation)})).closeBridge()`;
      return inside(machine, process.execPath, ['--input-type=module', '-e', program]);
    },
  };
}

async function serve(network: string): Promise<void> {
  const program = `require('node:http').createServer((_, answer) => answer.end('here'))
    .listen(80, '0.0.0.0', () => console.log('listens'))`;
  const server = spawn('nsenter', [`--net=/run/netns/${network}`, process.execPath, '-e', program]);
  onTestFinished(() => void server.kill());
  await once(server.stdout, 'data');
}

describe.skipIf(!canTry)('with the firewall of this kernel', () => {
  it('a container reaches public addresses alone, and what the machine itself sends meets no rule', async () => {
    const machine = await aMachine();
    const closed = [METADATA, CREDENTIALS, PRIVATE, OF_THE_MACHINE];
    for (const address of [...closed, PUBLIC])
      expect([address, machine.fromContainer(address)]).toEqual([address, true]);
    expect(machine.close()).toMatchObject({ status: 0 });
    for (const address of closed) expect([address, machine.fromContainer(address)]).toEqual([address, false]);
    expect(machine.fromContainer(PUBLIC)).toBe(true);
    for (const address of [METADATA, CREDENTIALS, PRIVATE, PUBLIC])
      expect([address, machine.fromMachine(address)]).toEqual([address, true]);
  });
});
