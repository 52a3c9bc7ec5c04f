import * as z from 'zod';
import { defaultRuntimes } from '../contract/deployments/runtimes.ts';
import { agentRows } from './aws-agents.ts';
import { BUILDS_AT_ONCE, installationDefaults } from './defaults.ts';
import {
  LIMIT,
  METADATA_ENDPOINT,
  oidcTexts,
  retention,
  runtimeText,
  tenantLimits,
  waits,
} from './installation.ts';
import type { Rows } from './row.ts';
import { isOrigin, listed } from './values.ts';

const BUILD_SECONDS = { min: 300, max: 3300 } as const;
const QUEUE_SECONDS = { min: 300, max: 28_800 } as const;
const COUNT = { unit: 'count', min: 1, whole: true } as const;
const https = z.url({ protocol: /^https$/ });

const issuersOfAws = z
  .string()
  .refine(
    (text) => listed(text).every((issuer) => https.safeParse(issuer).success),
    'must be https URLs, separated by commas',
  )
  .transform((text) => listed(text).join(',') || undefined)
  .optional();

/** What the context of the CDK may say. */
export const awsRows = {
  environment: {
    does: 'part of every name, so that an account can hold several installations. Changing it creates another installation',
    schema: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,15}$/)
      .default('prod'),
  },
  removal: {
    does: '`destroy` lifts all protections: destroying the data stack then deletes all data, objects in its buckets included',
    schema: z.enum(['retain', 'destroy']).default('retain'),
  },
  rateLimit: {
    does: 'requests per second for the whole API. Routes without a key have a fifth of it; followed logs (at most 50 a second) and waits for consent (10) have limits of their own',
    ...COUNT,
    unit: 'requests a second',
    default: 100,
  },
  burstLimit: { does: 'requests that may arrive at once', ...COUNT, default: 200 },
  engineConcurrency: {
    does: "concurrent executions reserved for dispatch and for each of the four states, 5 to 1,000, and 2 for sweep, so that requests cannot take them. A deploy [checks](operations.md#check-the-account) the account's limit first: 5 × the value + 2, and 100 must stay unreserved",
    defaultShown: 'none',
    ...COUNT,
    min: 5,
    max: 1000,
  },
  logRetentionDays: { does: 'retention of function logs', ...COUNT, unit: 'days', default: 30 },
  buildSeconds: {
    does: `time limit of a build, from when it has a machine. ${BUILD_SECONDS.min} to ${BUILD_SECONDS.max}`,
    unit: 'seconds',
    default: installationDefaults.buildSeconds,
    ...BUILD_SECONDS,
    whole: true,
    reason: 'what a build pushes with is good for an hour, and it may wait for five minutes',
  },
  buildQueueSeconds: {
    does: `time that a build may wait for a machine. ${QUEUE_SECONDS.min} to ${QUEUE_SECONDS.max}. CodeBuild's queue lets a build wait for as long as its credentials allow, an hour less \`buildSeconds\`; it is then started again and goes on waiting`,
    unit: 'seconds',
    default: installationDefaults.buildQueueSeconds,
    ...QUEUE_SECONDS,
    whole: true,
  },
  buildCompute: {
    does: 'machine of a build: `small` (2 CPUs, 4 GB), `medium` (4, 8), `large` (8, 16) or `xlarge` (36, 72; on arm64 less). Each costs at least twice as much a minute as the one before',
    schema: z.enum(['small', 'medium', 'large', 'xlarge']).default('small'),
  },
  dockerHubSecret: {
    does: 'ARN of a Secrets Manager item `{"username": "…", "password": "…"}`: images of Docker Hub are pulled with this account. See [Images of Docker Hub](operations.md#images-of-docker-hub)',
    schema: z
      .string()
      .regex(/^arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:.+$/, 'the ARN of an item of Secrets Manager')
      .optional(),
  },
  ...waits({ min: 1, whole: true }),
  ...retention,
  ...tenantLimits,
  buildsAtOnceMax: { does: 'builds of a tenant at once; more wait', ...LIMIT, default: BUILDS_AT_ONCE },
  defaultRuntime: { does: runtimeText, defaultShown: '`auto`', schema: z.enum(defaultRuntimes).optional() },
  allowedHosts: {
    does: 'internal hosts that requests may name, separated by commas',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9., :-]*$/)
      .default(''),
  },
  corsOrigins: {
    does: 'origins whose pages may call the API: `*`, or a list separated by commas',
    defaultShown: 'none',
    schema: z
      .string()
      .default('')
      .transform(listed)
      .refine((origins) => origins.every(isOrigin), 'an origin is * or like https://console.example:8443'),
  },
  compute: {
    does: '`fargate`: the installation runs agents itself, on Fargate in its own account. See [Agents on Fargate](fargate.md)',
    schema: z.enum(['fargate']).optional(),
  },
  ...agentRows,
  alarmEmail: { does: 'address that alarms are mailed to', schema: z.email().optional() },
  domainName: {
    does: 'your own domain for the API. Needs `certificateArn`',
    schema: z.string().optional(),
  },
  certificateArn: {
    does: 'its certificate, in the region of the installation',
    schema: z.string().startsWith('arn:').optional(),
  },
  oidcIssuer: { does: oidcTexts.oidcIssuer, schema: https.optional() },
  oidcAudience: { does: oidcTexts.oidcAudience, schema: z.string().min(1).optional() },
  oidcIssuers: { does: oidcTexts.oidcIssuers, schema: issuersOfAws },
  oidcClientId: { does: oidcTexts.oidcClientId, schema: z.string().min(1).optional() },
  oidcTokenEndpoint: {
    does: `${oidcTexts.oidcTokenEndpoint} (Amazon Cognito)`,
    defaultShown: METADATA_ENDPOINT,
    schema: https.optional(),
  },
  tableName: {
    does: 'an existing table to work on, such as a restored one. See [Operations](operations.md#restore-the-table-to-a-point-in-time)',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{3,255}$/)
      .optional(),
  },
  tableStreamArn: { does: 'the ARN of its stream', schema: z.string().startsWith('arn:').optional() },
  keyArn: {
    does: 'an existing key that secrets are under',
    schema: z
      .string()
      .regex(/^arn:[^:]+:kms:[^:]+:\d{12}:key\/[^:*]+$/, 'the ARN of a key, not of an alias')
      .optional(),
  },
  bucketName: {
    does: "an existing bucket of uploads and artifacts. Its region is the installation's",
    schema: z
      .string()
      .regex(/^[a-z0-9.-]{3,63}$/)
      .optional(),
  },
} as const satisfies Rows;
