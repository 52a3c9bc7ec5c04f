import { describe, expect, it } from 'vitest';
import { OptionsError, readOptions } from '../../../lib/listener/options.ts';

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
    expect(read(['--public-hosts', 'c.example', '--trust-proxy'], named).publicHosts).toEqual(['c.example']);
    expect(read(['--agents-url', 'https://Agents.example:8443/x']).publicHosts).toEqual(['agents.example']);
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
