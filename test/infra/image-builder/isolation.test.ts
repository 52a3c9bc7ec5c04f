import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { aBuilder, aJob, buildsOf, type Call, type Ended, push } from './set-up.ts';

const app = { Dockerfile: 'FROM scratch\n' };

/** Those of this machine, which the builder finds too. */
const nameServers = (version: number): string[] =>
  [...readFileSync('/etc/resolv.conf', 'utf8').matchAll(/^nameserver\s+([^\s%]+)/gm)]
    .map(([, address = '']) => address)
    .filter((address) => isIP(address) === version);

const isFirewall = ({ tool }: Call): boolean => /^ip6?tables$/.test(tool);

/** The rules that a build puts in place with one tool, in order: each lies above the one before it. */
const rulesOf = ({ calls }: Ended, name: string): string[] =>
  calls
    .filter(({ tool, args }) => tool === name && args[2] === '-I')
    .map(({ args }) => args.slice(3).join(' '));

/** What opens the way to the name servers, above all else. */
const toResolvers = (resolvers: string[]): string[] =>
  [...new Set(resolvers)].flatMap((resolver) =>
    ['udp', 'tcp'].map(
      (protocol) => `DOCKER-USER -i docker0 -d ${resolver} -p ${protocol} --dport 53 -j ACCEPT`,
    ),
  );

describe('what a build runs or fetches', () => {
  it('is kept from the machine, its metadata and private networks, by rules for its own bridge alone', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const ended = await builder.run(aJob());
    expect(rulesOf(ended, 'iptables')).toEqual([
      ...['169.254.0.0/16', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].map(
        (network) => `DOCKER-USER -i docker0 -d ${network} -m conntrack --ctstate NEW -j REJECT`,
      ),
      'INPUT -i docker0 -m conntrack --ctstate NEW -j DROP',
      ...toResolvers(['169.254.169.253', ...nameServers(4)]),
    ]);
  });

  it('is kept from all of IPv6, where the machine has IPv6', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const ended = await builder.run(aJob());
    const hasIpv6 = Object.values(networkInterfaces())
      .flat()
      .some((one) => one?.family === 'IPv6' && !one.internal);
    const rules = ['FORWARD', 'INPUT'].map(
      (chain) => `${chain} -i docker0 -m conntrack --ctstate NEW -j ${chain === 'INPUT' ? 'DROP' : 'REJECT'}`,
    );
    expect(rulesOf(ended, 'ip6tables')).toEqual(hasIpv6 ? rules : []);
  });

  it('is kept from all that before the source is fetched, whose authors choose its submodules', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const { calls } = await builder.run(aJob());
    const takenAt = calls.findIndex(({ args }) => args.includes('delete-object'));
    const firstAt = calls.findIndex(isFirewall);
    const closedAt = calls.findLastIndex(isFirewall);
    const startedAt = calls.findIndex(({ tool }) => tool === 'dockerd');
    const fetchedAt = calls.findIndex(({ tool }) => tool === 'git');
    // The job is taken with the credentials of the machine, so before.
    const order = [takenAt, firstAt, closedAt, startedAt, fetchedAt];
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  it('happens in the network of a container: git, Docker itself and its client', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const { calls } = await builder.run(aJob());
    const started = calls.filter(({ tool }) => tool === 'nsenter');
    expect(new Set(started.map(({ args }) => args[0]))).toEqual(new Set(['--net=/proc/4242/ns/net']));
    const inside = new Set(started.map(({ args }) => args.slice(1).join(' ')));
    expect(new Set(started.map(({ args }) => args[1]))).toEqual(new Set(['dockerd', 'git', 'docker']));
    // Git runs programs of its own beside those that the builder starts.
    const ofGit = calls.filter(({ tool, args }) => tool === 'git' && args[0] === '-C');
    const ofDocker = calls.filter(({ tool, env }) => tool === 'docker' && env.DOCKER_HOST !== undefined);
    expect([ofGit.length > 0, buildsOf({ calls })]).toEqual([true, [expect.anything()]]);
    expect(new Set(ofDocker.map(({ env }) => env.DOCKER_HOST))).toEqual(
      new Set(['unix:///var/run/slipway-docker.sock']),
    );
    for (const { tool, args } of [...ofGit, ...ofDocker.filter((each) => each.args[0] !== 'info')])
      expect(inside).toContain([tool, ...args].join(' '));
    // The first Docker opens the network, and does nothing for the build.
    const toFirst = calls.filter(({ tool, env }) => tool === 'docker' && env.DOCKER_HOST === undefined);
    expect(toFirst.map(({ args }) => args[0])).toEqual(['info', 'import', 'run', 'inspect']);
  });

  it('has no credentials: not the machine’s, not those for pushing', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const { calls } = await builder.run(aJob());
    for (const call of calls.filter((each) => each.tool !== 'aws' && !isFirewall(each))) {
      const names = Object.keys(call.env).filter((name) => !name.startsWith('GIT_'));
      expect(
        names.filter(
          (name) =>
            !['PATH', 'HOME', 'LANG', 'DOCKER_CONFIG', 'DOCKER_HOST', 'PWD', 'SHLVL', '_'].includes(name),
        ),
      ).toEqual([]);
      expect(JSON.stringify(call)).not.toMatch(/machine-secret|push-secret|push-session/);
    }
    const logIn = calls.find(({ args }) => args[0] === 'ecr');
    expect(logIn?.env).toMatchObject({
      AWS_SECRET_ACCESS_KEY: push.secretAccessKey,
      AWS_SESSION_TOKEN: push.sessionToken,
    });
    expect(logIn?.env).not.toHaveProperty('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  });
});
