import { describe, expect, it } from 'vitest';
import { USAGE } from '../../../lib/listener/main.ts';
import { OptionsError, readOptions } from '../../../lib/listener/options.ts';
import { DEFAULT_STORE_IMAGES } from '../../../lib/listener/store-images.ts';
import { headers, headersText } from '../../../lib/settings/values.ts';

const needed = {
  SLIPWAY_URL: 'http://localhost:4400',
  SLIPWAY_LISTENER_ID: 'l',
  SLIPWAY_API_KEY: 'k',
  SLIPWAY_LISTENER_DATA_DIR: '/tmp/l',
};

const read = (args: string[], environment: Record<string, string> = {}) =>
  readOptions(args, { ...needed, ...environment });

describe('the hosts of the agents’ port', () => {
  it('are loopback ones alone unless more are named, and no proxy is trusted', () => {
    expect(read([])).toMatchObject({ publicHosts: [], trustProxy: false });
  });

  it('come from arguments, else from the environment, and from the public address', () => {
    const named = { SLIPWAY_PUBLIC_HOSTS: 'A.example:80,b.example', SLIPWAY_TRUST_PROXY: 'true' };
    expect(read([], named)).toMatchObject({ publicHosts: ['a.example', 'b.example'], trustProxy: true });
    expect(read(['--public-hosts', 'c.example', '--trust-proxy'], named)).toMatchObject({
      publicHosts: ['c.example'],
    });
    expect(read(['--agents-url', 'https://Agents.example:8443/x'])).toMatchObject({
      publicHosts: ['agents.example'],
    });
  });

  it.each([
    [['--public-hosts', 'https://a.example'], {}, /--public-hosts .* not 'https:\/\/a\.example'/],
    [['--public-hosts', 'bücher.example'], {}, /in punycode, such as xn--bcher-kva\.example, not 'bücher/],
    [[], { SLIPWAY_TRUST_PROXY: 'yes' }, /SLIPWAY_TRUST_PROXY must be true or false, not 'yes'/],
  ])('are refused when they are none: %j %j', (args, environment, message) => {
    expect(() => read(args, environment)).toThrow(OptionsError);
    expect(() => read(args, environment)).toThrow(message);
  });
});

describe('a listener for a cluster', () => {
  const cluster = { SLIPWAY_DRIVER: 'kubernetes', SLIPWAY_NAMESPACES: 'agents, more' };

  it('has namespaces, and agrees with others in the first of them', () => {
    expect(read([], cluster)).toEqual({
      driver: 'kubernetes',
      url: 'http://localhost:4400',
      listenerId: 'l',
      apiKey: 'k',
      startTimeoutSeconds: 300,
      logLevel: 'info',
      parentPipe: false,
      otlpEndpoint: undefined,
      otlpHeaders: {},
      kubeconfig: undefined,
      namespaces: ['agents', 'more'],
      leaseNamespace: 'agents',
      platform: undefined,
      heartbeatFile: undefined,
      storeImages: DEFAULT_STORE_IMAGES,
      storePullSecrets: [],
      openshift: false,
    });
    const given = ['--lease-namespace', 'slipway', '--platform', 'linux/arm64', '--kubeconfig', '/k'];
    const heartbeat = { SLIPWAY_HEARTBEAT_FILE: '/tmp/heartbeat' };
    expect(read(given, { ...cluster, ...heartbeat })).toMatchObject({
      leaseNamespace: 'slipway',
      platform: 'linux/arm64',
      kubeconfig: '/k',
      heartbeatFile: '/tmp/heartbeat',
    });
    expect(read(['--heartbeat-file', '/tmp/h'], { ...cluster, ...heartbeat })).toMatchObject({
      heartbeatFile: '/tmp/h',
    });
  });

  it('gives deployments the stores that its operator wants, and leaves users to OpenShift', () => {
    const postgres = 'mirror.example.com/pgvector@sha256:1';
    const wanted = {
      storeImages: { postgres, redis: DEFAULT_STORE_IMAGES.redis },
      storePullSecrets: ['one', 'two'],
      openshift: true,
    };
    const given = ['--postgres-image', postgres, '--store-pull-secrets', 'one,two', '--openshift'];
    expect(read(given, cluster)).toMatchObject(wanted);
    const environment = {
      SLIPWAY_POSTGRES_IMAGE: postgres,
      SLIPWAY_REDIS_IMAGE: '',
      SLIPWAY_STORE_PULL_SECRETS: 'one, two',
      SLIPWAY_OPENSHIFT: 'true',
    };
    expect(read([], { ...cluster, ...environment })).toMatchObject(wanted);
  });

  it.each([
    [['--driver', 'nomad'], {}, "--driver must be process or kubernetes, not 'nomad'"],
    [['--driver', 'kubernetes'], {}, '--namespaces (or SLIPWAY_NAMESPACES) is required'],
    [
      ['--namespaces', 'a,B'],
      cluster,
      "--namespaces must be names of namespaces, separated by commas, not 'B'.",
    ],
    [
      ['--otlp-endpoint', 'https://me:secret@otlp.example/x'],
      {},
      "--otlp-endpoint must have no user name and no password, not 'https://…@otlp.example'.",
    ],
    [['--platform', 'arm64'], cluster, "--platform must look like linux/amd64, not 'arm64'"],
  ])('is refused in words: %j', (args, environment, words) => {
    expect(() => read(args, environment)).toThrow(words);
  });
});

it.each([
  ['--agents-port PORT (SLIPWAY_AGENTS_PORT, default 4401)', 'port of the deployed servers'],
  [
    '--trust-proxy (SLIPWAY_TRUST_PROXY=true)',
    'believe the X-Forwarded-* headers of a proxy in front of them',
  ],
  ['--redis-image IMAGE (SLIPWAY_REDIS_IMAGE, default by digest)', 'the same of Redis'],
  ['--url URL (SLIPWAY_URL, required)', 'address of the control plane'],
])('the usage says %s', (option, does) => {
  expect(USAGE).toContain(`  ${option}\n      ${does}\n`);
});

it('a setting that is an option alone is read from no variable', () => {
  expect(read([], { SLIPWAY_PARENT_PIPE: 'true' })).toMatchObject({ parentPipe: false });
  expect(read(['--parent-pipe'])).toMatchObject({ parentPipe: true });
});

it.each([
  [['--agents-port', '1.5'], "--agents-port must be a whole number from 0 to 65535, not '1.5'."],
  [['--url', 'localhost'], "--url must be an http(s) URL, not 'localhost'."],
  [['--path-prefix', 'd'], "--path-prefix must look like /d, not 'd'."],
  [['--log-level', 'loud'], "--log-level must be one of debug, info, warn, error, not 'loud'."],
  [['--data-dir', ''], '--data-dir (or SLIPWAY_LISTENER_DATA_DIR) is required.'],
])('a wrong option is refused in words: %j', (args, message) => {
  expect(() => read(args)).toThrow(new OptionsError(message));
});
describe('the headers of OTLP', () => {
  it.each([
    ['', {}],
    ['authorization=Bearer%20abc, X-Scope=a=b', { authorization: 'Bearer abc', 'x-scope': 'a=b' }],
  ])('%j are %j', (text, expected) => {
    expect(headers.parse(text)).toEqual(expected);
    expect(headers.parse(headersText(expected))).toEqual(expected);
  });

  it.each(['secret', 'na me=secret', 'name=%zz-secret', 'name=secret%0A'])(
    '%j is refused, without its value',
    (text) => {
      const { error } = headers.safeParse(text);
      expect(error?.issues[0]?.message).toMatch(/^must look like name=value/);
      if (text !== 'secret') expect(error?.issues[0]?.message).not.toContain('secret');
    },
  );
});
