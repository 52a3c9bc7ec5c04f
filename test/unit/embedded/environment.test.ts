import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../lib/embedded/environment.ts';
import { limitDefaults } from '../../../lib/settings/defaults.ts';

describe('the environment of the runtime', () => {
  it('has defaults for everything', () => {
    // What the others are made from is there too.
    const read = Object.entries(limitDefaults).map(([name, limit]) => [`${name}Max`, limit]);
    expect(readEnvironment({})).toEqual({
      ...Object.fromEntries(read),
      dataDir: '.slipway',
      port: 4400,
      agentsPort: 4401,
      dataFolder: resolve('.slipway'),
      logLevel: 'info',
      sweepSeconds: 15,
      headsSeconds: 300,
      lookSeconds: 6,
      unclaimedSeconds: 900,
      silentSeconds: 900,
      startTimeoutSeconds: 300,
      buildSeconds: 1800,
      buildQueueSeconds: 7200,
      drainSeconds: 30,
      oidc: undefined,
      oidcIssuers: [],
      tokenIssuers: [],
      moreTenants: false,
      allowedHosts: [],
      keptArtifacts: 5,
      defaultRuntime: 'auto',
      auditDays: 400,
      keyDays: 90,
      limits: limitDefaults,
      corsOrigins: ['http://localhost:*', 'http://127.0.0.1:*'],
      publicHosts: [],
      trustProxy: false,
      faults: undefined,
      postgresUser: 'slipway-postgres',
      otlpEndpoint: undefined,
      otlpHeaders: {},
    });
    expect(readEnvironment({ PORT: '', SLIPWAY_DATA_DIR: '', SLIPWAY_LOG_LEVEL: '' })).toEqual(
      readEnvironment({}),
    );
  });

  it.each([
    [{ PORT: '5000' }, { port: 5000, agentsPort: 5001 }],
    [
      { PORT: '5000', SLIPWAY_AGENTS_PORT: '80' },
      { port: 5000, agentsPort: 80 },
    ],
    [{ PORT: '0' }, { port: 0, agentsPort: undefined }],
    [{ SLIPWAY_AGENTS_PORT: '0' }, { agentsPort: undefined }],
    [{ PORT: '65535' }, { port: 65535, agentsPort: undefined }],
    [{ SLIPWAY_LOG_LEVEL: 'DEBUG' }, { logLevel: 'debug' }],
    [
      {
        SLIPWAY_ALLOWED_HOSTS: ' Git.corp.example,, 10.0.0.7',
        SLIPWAY_AUDIT_DAYS: '30',
        SLIPWAY_KEPT_ARTIFACTS: '1',
      },
      { allowedHosts: ['git.corp.example', '10.0.0.7'], auditDays: 30, keptArtifacts: 1 },
    ],
    [
      { SLIPWAY_SWEEP_SECONDS: '0.5', SLIPWAY_DRAIN_SECONDS: '0' },
      { sweepSeconds: 0.5, drainSeconds: 0 },
    ],
    [{ SLIPWAY_DATA_DIR: '/var/lib/slipway' }, { dataFolder: '/var/lib/slipway' }],
    [{ SLIPWAY_FAULTS: 'transaction-conflict=0.2' }, { faults: { transactionConflict: 0.2, seed: 1 } }],
    [{ SLIPWAY_FAULTS: 'transaction-conflict=0,seed=7' }, { faults: { transactionConflict: 0, seed: 7 } }],
    [{ SLIPWAY_MORE_TENANTS: 'TRUE' }, { moreTenants: true }],
    [{ SLIPWAY_OIDC_ISSUER: '', SLIPWAY_OIDC_AUDIENCE: ' ' }, { oidc: undefined }],
    [
      { SLIPWAY_OIDC_ISSUER: 'https://id.example/realm', SLIPWAY_OIDC_AUDIENCE: 'slipway' },
      { oidc: { issuer: 'https://id.example/realm', audience: 'slipway' } },
    ],
    [
      { SLIPWAY_OIDC_ISSUER: 'http://127.0.0.1:8080', SLIPWAY_OIDC_AUDIENCE: 'slipway' },
      { oidc: { issuer: 'http://127.0.0.1:8080', audience: 'slipway' } },
    ],
    [
      {
        SLIPWAY_OIDC_ISSUER: 'https://id.example/realm',
        SLIPWAY_OIDC_AUDIENCE: 'slipway',
        SLIPWAY_OIDC_CLIENT_ID: 'console',
        SLIPWAY_OIDC_TOKEN_ENDPOINT: 'https://id.example/o/token/',
      },
      { signIn: { clientId: 'console', tokenEndpoint: 'https://id.example/o/token/' } },
    ],
    [
      { SLIPWAY_PUBLIC_HOSTS: 'Slipway.Example, agents.example:8443', SLIPWAY_TRUST_PROXY: 'true' },
      { publicHosts: ['slipway.example', 'agents.example'], trustProxy: true },
    ],
    [{ SLIPWAY_BASE_URL: 'https://Slip.Example/api' }, { publicHosts: ['slip.example'] }],
    [{ SLIPWAY_BASE_URL: '' }, { publicHosts: [] }],
    [{ SLIPWAY_CORS_ORIGINS: 'none' }, { corsOrigins: [] }],
    [{ SLIPWAY_CORS_ORIGINS: '*' }, { corsOrigins: ['*'] }],
    [
      { SLIPWAY_CORS_ORIGINS: 'https://console.example, http://localhost:*' },
      { corsOrigins: ['https://console.example', 'http://localhost:*'] },
    ],
  ])('reads %j', (environment, expected) => {
    expect(readEnvironment(environment)).toMatchObject(expected);
  });

  it.each([
    [{ PORT: 'abc' }, "PORT must be a whole number from 0 to 65535, not 'abc'."],
    [{ PORT: '65536' }, "PORT must be a whole number from 0 to 65535, not '65536'."],
    [{ PORT: '1.5' }, "PORT must be a whole number from 0 to 65535, not '1.5'."],
    [{ PORT: '0x10' }, "PORT must be a whole number from 0 to 65535, not '0x10'."],
    [{ SLIPWAY_SWEEP_SECONDS: '0' }, "SLIPWAY_SWEEP_SECONDS must be a number from 0.1 to 86400, not '0'."],
    [
      { SLIPWAY_FAULTS: 'transaction-conflict=0.95' },
      'SLIPWAY_FAULTS must be transaction-conflict=<share from 0',
    ],
    [{ SLIPWAY_FAULTS: 'lost-writes=0.1' }, "seed=<number>, not 'lost-writes=0.1'."],
    [{ SLIPWAY_ALLOWED_HOSTS: 'https://git.corp.example' }, 'SLIPWAY_ALLOWED_HOSTS must be host names'],
    [{ SLIPWAY_KEPT_ARTIFACTS: '0' }, 'SLIPWAY_KEPT_ARTIFACTS must be a whole number from 1'],
    [{ SLIPWAY_AUDIT_DAYS: '0' }, 'SLIPWAY_AUDIT_DAYS must be a whole number from 1'],
    [{ SLIPWAY_KEY_DAYS: '0' }, 'SLIPWAY_KEY_DAYS must be a whole number from 1'],
    [{ SLIPWAY_LOG_LEVEL: 'loud' }, "SLIPWAY_LOG_LEVEL must be one of debug, info, warn, error, not 'loud'."],
    [{ SLIPWAY_MORE_TENANTS: 'yes' }, "SLIPWAY_MORE_TENANTS must be true or false, not 'yes'."],
    [{ SLIPWAY_OIDC_ISSUER: 'https://id.example' }, 'SLIPWAY_OIDC_AUDIENCE go together.'],
    [
      { SLIPWAY_OIDC_ISSUER: 'http://id.example', SLIPWAY_OIDC_AUDIENCE: 'slipway' },
      "an https URL, or an http one of this machine, not 'http://id.example'.",
    ],
    [
      { SLIPWAY_OIDC_ISSUER: 'http://localhost.example', SLIPWAY_OIDC_AUDIENCE: 'slipway' },
      "not 'http://localhost.example'.",
    ],
    [
      { SLIPWAY_PUBLIC_HOSTS: 'a.example,bücher.example' },
      "in punycode, such as xn--bcher-kva.example, not 'bücher.example'.",
    ],
    [{ SLIPWAY_CORS_ORIGINS: 'console.example' }, "separated by commas, not 'console.example'."],
    [{ SLIPWAY_CORS_ORIGINS: 'https://a.example/' }, "separated by commas, not 'https://a.example/'."],
  ])('refuses %j', (environment, message) => {
    expect(() => readEnvironment(environment)).toThrow(message);
  });

  it('names everything that is wrong at once', () => {
    expect(() => readEnvironment({ PORT: 'x', SLIPWAY_AGENTS_PORT: 'y' })).toThrow(
      /PORT.*\n.*SLIPWAY_AGENTS_PORT/,
    );
  });
});
