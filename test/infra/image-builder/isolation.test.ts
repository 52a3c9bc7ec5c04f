import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { aBuilder, aJob, type Call, type Ended, push } from './set-up.ts';

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

/** What every rule set ends with: no bridge of containers leads to the machine, and names are resolved. */
const lastRules = (chain: string, resolvers: string[]): string[] => [
  'OUTPUT -o lo -p tcp --dport 2375 -j REJECT',
  'INPUT -m conntrack --ctstate NEW -j DROP',
  'INPUT -i eth+ -j ACCEPT',
  'INPUT -i lo -j ACCEPT',
  ...[...new Set(resolvers)].flatMap((resolver) =>
    ['udp', 'tcp'].flatMap((protocol) => [
      `${chain} -d ${resolver} -p ${protocol} --dport 53 -j ACCEPT`,
      `OUTPUT -d ${resolver} -p ${protocol} --dport 53 -j ACCEPT`,
    ]),
  ),
];

describe('what a build runs or fetches', () => {
  it('is kept from the machine’s metadata, Docker’s API and private networks', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const ended = await builder.run(aJob());
    expect(rulesOf(ended, 'iptables')).toEqual([
      ...['169.254.0.0/16', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].flatMap(
        (network) => [
          `DOCKER-USER -d ${network} -m conntrack --ctstate NEW -j DROP`,
          `OUTPUT -d ${network} -m conntrack --ctstate NEW -j REJECT`,
        ],
      ),
      ...lastRules('DOCKER-USER', ['169.254.169.253', ...nameServers(4)]),
    ]);
  });

  it('is kept from everything of IPv6 that is no public host, where the machine has IPv6', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const ended = await builder.run(aJob());
    const hasIpv6 = Object.values(networkInterfaces())
      .flat()
      .some((one) => one?.family === 'IPv6' && !one.internal);
    const rules = [
      'FORWARD ! -d 2000::/3 -m conntrack --ctstate NEW -j DROP',
      'OUTPUT ! -d 2000::/3 -m conntrack --ctstate NEW -j REJECT',
      ...lastRules('FORWARD', ['fd00:ec2::253', ...nameServers(6)]),
    ];
    expect(rulesOf(ended, 'ip6tables')).toEqual(hasIpv6 ? rules : []);
  });

  it('is kept from all that before the source is fetched, whose authors choose its submodules', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const { calls } = await builder.run(aJob());
    const takenAt = calls.findIndex(({ args }) => args.includes('delete-object'));
    const firstAt = calls.findIndex(isFirewall);
    const closedAt = calls.findLastIndex((call) => isFirewall(call) && call.args[2] === '-I');
    const fetchedAt = calls.findIndex(({ tool }) => tool === 'git');
    const builtAt = calls.findLastIndex(({ args }) => args.includes('push'));
    const openedAt = calls.findIndex((call) => isFirewall(call) && call.args[2] === '-D');
    // The job is taken with the credentials of the machine, so before.
    const order = [takenAt, firstAt, closedAt, fetchedAt, builtAt, openedAt];
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  it('stays kept from it when the machine opens its own way again', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const ended = await builder.run(aJob());
    const closed = rulesOf(ended, 'iptables').filter((rule) => rule.startsWith('OUTPUT'));
    const opened = ended.calls.filter(({ tool, args }) => tool === 'iptables' && args[2] === '-D');
    expect(opened.map(({ args }) => args.slice(3).join(' '))).toEqual(closed);
  });

  it('has no credentials: not the machine’s, not those for pushing', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const { calls } = await builder.run(aJob());
    for (const call of calls.filter((each) => each.tool !== 'aws' && !isFirewall(each))) {
      const names = Object.keys(call.env).filter((name) => !name.startsWith('GIT_'));
      expect(
        names.filter(
          (name) => !['PATH', 'HOME', 'LANG', 'DOCKER_CONFIG', 'PWD', 'SHLVL', '_'].includes(name),
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
