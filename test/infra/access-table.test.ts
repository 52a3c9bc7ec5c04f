import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Access } from '../../lib/contract/access.ts';
import { type FunctionRow, functionRows, managingRows } from '../../lib/contract/functions.ts';
import { inReadingOrder } from '../../lib/contract/openapi/document.ts';
import { routes } from '../../lib/contract/routes/index.ts';
import { accessOf } from '../../lib/contract/routes/route.ts';
import { permissionsFor } from '../../lib/infra/access.ts';
import { mutations } from '../aws/mutations.ts';

const file = new URL('../../docs/access.md', import.meta.url);

/** Names in place of ARNs. */
const arns = {
  table: 'table',
  key: 'key',
  bucket: 'bucket',
  jobsBucket: 'jobs bucket',
  stateMachine: 'state machine',
  executions: 'its executions',
  buildProject: 'build project',
  eventBus: 'event bus',
  deliver: 'function deliver',
  heads: 'function heads',
  ring: 'function ring',
  sockets: 'connections of the doorbell',
  repositories: 'repositories of deployments',
  pushRole: 'push role',
  pullRole: 'pull role',
  drive: 'function drive',
  agents: {
    cluster: 'cluster/agents',
    services: 'services of the cluster',
    tasks: 'tasks of the cluster',
    taskDefinitions: 'task definitions of sets',
    targetGroups: 'target groups of sets',
    listener: 'listener of the balancer',
    listenerRules: 'its rules',
    scalers: 'scalers',
    alarms: 'their alarms',
    scalingRole: 'role of Application Auto Scaling',
    secrets: 'secrets of sets',
    sharedVariables: ['variables of all servers (agentSecrets)'],
    measured: ['* where agents run on Fargate'],
    logStreams: 'log of servers',
    roles: ['roles of servers'],
  },
};

function permissionsOf(access: readonly Access[]): string {
  const permissions = permissionsFor(access, arns).map(
    ({ actions, resources }) => `${actions.join(', ')} on ${resources.join(', ')}`,
  );
  return permissions.length === 0 ? 'nothing' : permissions.join('; ');
}

function page(): string {
  const endpoints = [...Map.groupBy(inReadingOrder(routes), ({ handler }) => handler)].map(
    ([handler, rows]) => {
      const calls = rows.map(({ method, path }) => `\`${method} ${path}\``).join(', ');
      return `| ${handler.replace('functions/', '')} | ${calls} | ${permissionsOf(rows[0] === undefined ? [] : accessOf(rows[0]))} |`;
    },
  );
  const others = Object.values({ ...functionRows, ...managingRows }).map(
    ({ handler, summary, access, managing }: FunctionRow) => {
      const more =
        managing === undefined ? '' : `; where agents run on Fargate also ${permissionsOf(managing)}`;
      return `| ${handler.replace('functions/', '')} | ${summary} | ${permissionsOf(access)}${more} |`;
    },
  );
  return `# Access

What each function may do. Generated from the route table and \`lib/contract/functions.ts\` by \`npm run docs\`; a test compares. Every
function may also write its log; those of the API share one. Dispatch and events read the table's stream and send to its dead-letter
queue.

| Function | Called for | Access |
|---|---|---|
${[...endpoints, ...others].join('\n')}

## Tests

\`npm run test:aws\` fails if a function is refused anything, and if a role grants an action that its function has not used by the end.
\`npm run test:mutations\` tries the first: it deploys without one action of one role, and each of these is noticed:

${mutations.map((mutation) => `- ${mutation.replace(' ', ': ')}`).join('\n')}
`;
}

it('the page on access says what roles are made of', () => {
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(file, page());
  expect(readFileSync(file, 'utf8')).toBe(page());
});
