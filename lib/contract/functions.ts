import type { VariableName } from '../settings/variable.ts';
import type { Access } from './access.ts';

/** A function that no request calls: the state machine, the stream, a schedule or an event does. */
export type FunctionRow = {
  name: string;
  handler: `functions/${string}.ts`;
  summary: string;
  access: readonly Access[];
  /** Variables beside those that the access needs. */
  variables?: readonly VariableName[];
  /** What it may do more where the installation runs agents itself. */
  managing?: readonly Access[];
  timeoutSeconds: number;
};

/** Settings of the engine: how long it waits for whom. */
const waits = [
  'UNCLAIMED_SECONDS',
  'SILENT_SECONDS',
  'BUILD_SECONDS',
  'BUILD_QUEUE_SECONDS',
] as const satisfies VariableName[];
const engineSettings = [...waits, 'KEPT_ARTIFACTS', 'DEFAULT_RUNTIME'] as const satisfies VariableName[];

/**
 * What it takes to end a revision, and so whatever may do that: with it go its build and artifacts that are
 * kept no longer.
 */
const ending = [
  'table:get',
  'table:get-both',
  'table:query',
  'table:put',
  'table:update',
  'table:delete',
  'artifacts:list',
  'artifacts:delete',
  'builds:stop',
] as const satisfies Access[];

/** What dispatch and sweep do: they alone start executions, answer tokens and delete uploads. */
const engine = [
  ...ending,
  'executions:start',
  'executions:read',
  'tasks:answer',
  'builds:read',
  'images:read',
  'images:delete',
  'uploads:list',
  'uploads:delete',
  'pinned:list',
  'pinned:delete',
] as const satisfies Access[];

/** All functions that are no endpoints, by name; the route table has the others. */
export const functionRows = {
  prepare: {
    name: 'prepare',
    handler: 'functions/tasks/revision/prepare.ts',
    summary: 'State Prepare: checks the listener, resolves the ref, picks the path',
    access: ['table:get', 'table:update', 'keys:decrypt', 'artifacts:list', 'artifacts:read'],
    managing: ['agent-secrets:read'],
    variables: ['ALLOWED_HOSTS'],
    timeoutSeconds: 60,
  },
  build: {
    name: 'build',
    handler: 'functions/tasks/revision/build.ts',
    summary: 'State Build: keeps the token and starts the build once',
    access: [
      'table:get',
      'table:query',
      'table:put',
      'table:update',
      'table:delete',
      'keys:decrypt',
      'pinned:read',
      'artifacts:write',
      'jobs:write',
      'builds:start',
      'builds:stop',
      'repositories:create',
      'repositories:push',
    ],
    managing: ['agent-secrets:read'],
    variables: [...waits, 'BUILDS_AT_ONCE_MAX'],
    timeoutSeconds: 60,
  },
  deploy: {
    name: 'deploy',
    handler: 'functions/tasks/revision/deploy.ts',
    summary: 'State Deploy: keeps the token and offers the task to the listener',
    access: ['table:get', 'table:get-both', 'table:put', 'table:update'],
    variables: ['DEFAULT_RUNTIME'],
    timeoutSeconds: 30,
  },
  finish: {
    name: 'finish',
    handler: 'functions/tasks/revision/finish.ts',
    summary: 'State Finish: writes the terminal status and frees the slot',
    access: [...ending, 'images:hold', 'keys:decrypt'],
    variables: ['KEPT_ARTIFACTS', 'ALLOWED_HOSTS'],
    timeoutSeconds: 60,
  },
  dispatch: {
    name: 'dispatch',
    handler: 'functions/streams/dispatch.ts',
    summary: 'The stream: brings forward each deployment that changed',
    access: engine,
    managing: ['driver:wake'],
    variables: engineSettings,
    timeoutSeconds: 60,
  },
  events: {
    name: 'events',
    handler: 'functions/streams/events.ts',
    summary: 'The stream: publishes events of deployments and records audit events',
    access: ['table:get', 'table:put', 'events:put', 'deliveries:wake', 'doorbell:wake'],
    variables: ['AUDIT_DAYS'],
    timeoutSeconds: 60,
  },
  deliver: {
    name: 'deliver',
    handler: 'functions/webhooks/deliver.ts',
    summary: 'Delivers events to a webhook: woken by the stream, and by sweep when something is due',
    access: ['table:get', 'table:query', 'table:put', 'table:update', 'table:delete', 'keys:decrypt'],
    variables: ['ALLOWED_HOSTS', 'AUDIT_DAYS'],
    timeoutSeconds: 300,
  },
  socket: {
    name: 'socket',
    handler: 'functions/doorbell/socket.ts',
    summary: 'A listener opens the socket by which it is rung, or one has closed',
    access: ['table:get', 'table:query', 'table:put', 'table:update', 'table:delete', 'sockets:send'],
    timeoutSeconds: 29,
  },
  ring: {
    name: 'ring',
    handler: 'functions/doorbell/ring.ts',
    summary: 'Tells a listener that it may have work: woken by the stream',
    access: ['table:get', 'table:query', 'table:update', 'table:delete', 'sockets:send'],
    timeoutSeconds: 60,
  },
  sweep: {
    name: 'sweep',
    handler: 'functions/schedules/sweep.ts',
    summary: 'Every minute: finds what nothing else will wake, and wakes it',
    access: [...engine, 'due:query', 'events:put', 'deliveries:wake'],
    managing: ['driver:wake'],
    variables: engineSettings,
    timeoutSeconds: 300,
  },
  revocations: {
    name: 'revocations',
    handler: 'functions/schedules/revocations.ts',
    summary: 'Every minute: revokes tokens at OAuth providers that could not be reached before',
    access: ['table:get', 'table:query', 'table:update', 'table:delete', 'due:query', 'keys:decrypt'],
    variables: ['ALLOWED_HOSTS'],
    timeoutSeconds: 300,
  },
  heads: {
    name: 'heads',
    handler: 'functions/schedules/heads.ts',
    summary:
      'Every 5 minutes, and for each delivery of a git host: asks the heads of branches whose pushes are built',
    access: [
      'table:get',
      'table:query',
      'table:put',
      'table:update',
      'table:delete',
      'due:query',
      'keys:decrypt',
    ],
    variables: ['ALLOWED_HOSTS', 'WAITING_REVISIONS_MAX'],
    timeoutSeconds: 300,
  },
  buildChanged: {
    name: 'build-changed',
    handler: 'functions/events/build-changed.ts',
    summary: 'A build started or ended: records what it came to',
    access: ['table:get', 'table:update', 'builds:read', 'builds:stop', 'images:read'],
    variables: ['BUILD_SECONDS'],
    timeoutSeconds: 30,
  },
  executionEnded: {
    name: 'execution-ended',
    handler: 'functions/events/execution-ended.ts',
    summary: 'An execution failed, timed out or was aborted: sweep looks at its revision at once',
    access: ['table:update'],
    timeoutSeconds: 30,
  },
  ingestLogs: {
    name: 'ingest-logs',
    handler: 'functions/logs/ingest.ts',
    summary: 'Lines of builds, as they are written: masked and stored by revision',
    access: ['table:get', 'table:put', 'keys:decrypt'],
    timeoutSeconds: 60,
  },
  takeNotes: {
    name: 'take-notes',
    handler: 'functions/logs/take-notes.ts',
    summary: 'Log lines of endpoints: records which key was used, what was issued and who was refused',
    access: ['table:get', 'table:put', 'table:update', 'table:check'],
    variables: ['AUDIT_DAYS'],
    timeoutSeconds: 30,
  },
} as const satisfies Record<string, FunctionRow>;

/** Functions that are deployed only where the installation runs agents itself. */
export const managingRows = {
  drive: {
    name: 'drive',
    handler: 'functions/compute/drive.ts',
    summary: 'Brings what runs of a deployment on Fargate to what shall run, a step at a time',
    access: [
      'table:get',
      'table:put',
      'table:update',
      'table:delete',
      'keys:decrypt',
      'compute:look',
      'compute:change',
      'agent-secrets:read',
    ],
    variables: [
      'AGENTS_CLUSTER',
      'AGENTS_VPC_ID',
      'AGENTS_SUBNETS',
      'AGENTS_SECURITY_GROUPS',
      'AGENTS_PUBLIC_IP',
      'AGENTS_LISTENER_ARN',
      'AGENTS_EXECUTION_ROLE_ARN',
      'AGENTS_ROLE_ARN',
      'AGENTS_LOG_GROUP_NAME',
      'AGENTS_SECRET_PREFIX',
      'AGENTS_URL',
      'AGENTS_DOMAIN',
      'DOCKER_HUB_SECRET_ARN',
    ],
    timeoutSeconds: 120,
  },
  ingestOutput: {
    name: 'ingest-output',
    handler: 'functions/logs/ingest-output.ts',
    summary: 'What servers on Fargate print, as it is written: masked and stored by revision',
    access: ['table:get', 'table:put', 'keys:decrypt', 'agent-secrets:read'],
    timeoutSeconds: 60,
  },
  findNetwork: {
    name: 'find-network',
    handler: 'functions/compute/find-network.ts',
    summary: 'A deploy: finds where requests of CloudFront come from, and looks at a network that was given',
    access: ['networks:look'],
    timeoutSeconds: 60,
  },
} as const satisfies Record<string, FunctionRow>;

export type FunctionName = keyof typeof functionRows;
