import { defaultRuntimes } from '../contract/deployments/runtimes.ts';
import { installationDefaults } from './defaults.ts';
import { METADATA_ENDPOINT, oidcTexts, retention, runtimeText, tenantLimits, waits } from './installation.ts';
import { DAY_SECONDS, machineRows, PORT } from './machine.ts';
import type { Rows } from './row.ts';
import {
  address,
  choice,
  endpoint,
  faults,
  hosts,
  issuerList,
  originsOfPages,
  publicHosts,
  text,
  textOr,
  yesOrNo,
} from './values.ts';

const SECONDS = { unit: 'seconds', min: 0.1, max: DAY_SECONDS, whole: false } as const;

/** What `npm start` reads from its environment. */
export const embeddedRows = {
  port: { does: 'port of the API, on 127.0.0.1. 0: any free port', variable: 'PORT', ...PORT, default: 4400 },
  agentsPort: {
    does: 'port of the deployed servers, which answer under `/d/<name>/`',
    defaultShown: '`PORT` + 1',
    ...PORT,
  },
  dataDir: {
    does: 'folder of all data. `credentials.json` in it has the address and the first key',
    schema: textOr('.slipway'),
  },
  baseUrl: {
    does: 'the address of the API as clients see it, if a proxy gives it another one',
    schema: address,
  },
  logLevel: machineRows.logLevel,
  buildSeconds: {
    does: 'time limit of a build, from when it runs',
    ...SECONDS,
    default: installationDefaults.buildSeconds,
  },
  buildQueueSeconds: {
    does: 'time that a build may wait until it runs. Two run at once',
    ...SECONDS,
    default: installationDefaults.buildQueueSeconds,
  },
  startTimeoutSeconds: machineRows.startTimeoutSeconds,
  drainSeconds: machineRows.drainSeconds,
  postgresUser: machineRows.postgresUser,
  otlpEndpoint: machineRows.otlpEndpoint,
  otlpHeaders: machineRows.otlpHeaders,
  ...waits(SECONDS),
  // Oftener than on AWS, where a look costs money.
  sweepSeconds: { does: 'recovery sweep interval', ...SECONDS, default: 15 },
  headsSeconds: {
    does: 'interval of looks at the heads of branches with `build_on_push`. See [Pushes](pushes.md)',
    ...SECONDS,
    default: 300,
  },
  // Hosts of repositories wait some ten seconds for an answer to their deliveries.
  lookSeconds: {
    does: "time a push waits for its commit's message and changed paths. Without an answer the push is built",
    ...SECONDS,
    default: 6,
  },
  ...retention,
  ...tenantLimits,
  defaultRuntime: { does: runtimeText, schema: choice(defaultRuntimes, 'auto') },
  allowedHosts: {
    does: 'hosts on private networks that requests may name, separated by commas',
    schema: hosts,
  },
  publicHosts: {
    does: 'host names that both ports answer to besides `localhost`, separated by commas: what your proxy passes on as `Host`',
    schema: publicHosts,
  },
  trustProxy: {
    does: '`true`: believe the `X-Forwarded-*` headers of requests for agents, and the last address in `X-Forwarded-For` of requests for the API, because your proxy sets them',
    schema: yesOrNo,
  },
  corsOrigins: {
    does: 'origins whose pages may call the API: `none`, `*`, or a list such as `https://console.example,http://localhost:*`',
    defaultShown: 'this machine',
    schema: originsOfPages,
  },
  oidcIssuer: { does: oidcTexts.oidcIssuer, schema: text },
  oidcAudience: { does: oidcTexts.oidcAudience, schema: text },
  oidcIssuers: { does: oidcTexts.oidcIssuers, schema: issuerList },
  oidcClientId: { does: oidcTexts.oidcClientId, schema: text },
  oidcTokenEndpoint: {
    does: oidcTexts.oidcTokenEndpoint,
    defaultShown: METADATA_ENDPOINT,
    schema: endpoint,
  },
  moreTenants: {
    does: '`true`: allow more tenants, although their builds and servers are not isolated from each other',
    schema: yesOrNo,
  },
  faults: {
    does: 'for tests: `transaction-conflict=0.2` makes a fifth of all database writes conflict. See [Parity](parity.md#fault-injection)',
    schema: faults,
  },
  databaseUrl: {
    does: 'a DynamoDB with streams to use where none is bundled for the platform',
    // The database's client reads it too.
    variable: 'AWS_ENDPOINT_URL_DYNAMODB',
    schema: text,
  },
} as const satisfies Rows;
