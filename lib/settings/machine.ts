import { address, headers, logLevel, textOr } from './values.ts';

// What the embedded runtime and a listener on a machine have alike.

export const DAY_SECONDS = 86_400;
export const PORT = { unit: 'port', min: 0, max: 65_535, whole: true } as const;

export const machineRows = {
  logLevel: { does: '`debug`, `info`, `warn` or `error`', schema: logLevel },
  startTimeoutSeconds: {
    does: 'time a server has to answer `GET /ok`',
    unit: 'seconds',
    default: 300,
    min: 0.1,
    max: DAY_SECONDS,
    whole: false,
  },
  drainSeconds: {
    does: "grace period for in-flight requests when a server is replaced; a deployment's `drain_seconds` takes precedence",
    unit: 'seconds',
    default: 30,
    min: 0,
    max: DAY_SECONDS,
    whole: false,
  },
  postgresUser: {
    does: 'user that the PostgreSQL of durable agents runs as where this is run by root, which PostgreSQL refuses to be. It is made if it is not there',
    schema: textOr('slipway-postgres'),
  },
  otlpEndpoint: {
    does: 'where measurements of agents are sent once a minute by OTLP/HTTP, `/v1/metrics` below it. See [Metrics](operations.md#metrics)',
    schema: address,
  },
  otlpHeaders: {
    does: 'headers of those requests, such as `authorization=Bearer%20…`, separated by commas',
    schema: headers,
  },
} as const;
