import type { Access } from '../contract/access.ts';
import { DUE_INDEX } from '../store/table.ts';
import { changing, looking, lookingAtNetworks, measuring } from './agents/access.ts';
import type { Platform } from './platform.ts';

export type Arns = Platform['arns'];
export type PolicyCondition = Record<string, Record<string, string>>;
export type Rule = {
  actions: string[];
  resources: (arns: Arns) => string[];
  condition?: (arns: Arns) => PolicyCondition;
};

const onTable = (...actions: string[]): Rule => ({
  actions: actions.map((action) => `dynamodb:${action}`),
  resources: ({ table }) => [table],
});
const onKey = (action: string): Rule => ({ actions: [`kms:${action}`], resources: ({ key }) => [key] });
const onObjects = (prefix: string, ...actions: string[]): Rule => ({
  actions: actions.map((action) => `s3:${action}`),
  resources: ({ bucket }) => [`${bucket}/${prefix}/*`],
});

/** The least that each word needs. Transactions are authorised as the writes they are made of. */
const rules: Record<Access, Rule[]> = {
  'table:get': [onTable('GetItem')],
  'table:get-both': [onTable('BatchGetItem')],
  'table:query': [onTable('Query')],
  'table:check': [onTable('ConditionCheckItem')],
  'table:put': [onTable('PutItem')],
  'table:update': [onTable('UpdateItem')],
  'table:delete': [onTable('DeleteItem')],
  'due:query': [{ actions: ['dynamodb:Query'], resources: ({ table }) => [`${table}/index/${DUE_INDEX}`] }],
  'keys:generate': [onKey('GenerateDataKey')],
  'keys:decrypt': [onKey('Decrypt')],
  'uploads:list': [listing('pending')],
  'uploads:read': [onObjects('pending', 'GetObject', 'GetObjectVersion')],
  'uploads:write': [onObjects('pending', 'PutObject')],
  'uploads:delete': [onObjects('pending', 'DeleteObject')],
  'pinned:list': [listing('pinned')],
  'pinned:read': [onObjects('pinned', 'GetObject')],
  'pinned:write': [onObjects('pinned', 'PutObject')],
  'pinned:delete': [onObjects('pinned', 'DeleteObject')],
  'artifacts:list': [listing('artifacts')],
  'artifacts:read': [onObjects('artifacts', 'GetObject')],
  'artifacts:write': [onObjects('artifacts', 'PutObject')],
  'artifacts:delete': [onObjects('artifacts', 'DeleteObject')],
  'jobs:write': [{ actions: ['s3:PutObject'], resources: ({ jobsBucket }) => [`${jobsBucket}/builds/*`] }],
  'events:put': [{ actions: ['events:PutEvents'], resources: ({ eventBus }) => [eventBus] }],
  'deliveries:wake': [{ actions: ['lambda:InvokeFunction'], resources: ({ deliver }) => [deliver] }],
  'heads:wake': [{ actions: ['lambda:InvokeFunction'], resources: ({ heads }) => [heads] }],
  'doorbell:wake': [{ actions: ['lambda:InvokeFunction'], resources: ({ ring }) => [ring] }],
  'sockets:send': [{ actions: ['execute-api:ManageConnections'], resources: ({ sockets }) => [sockets] }],
  'driver:wake': [{ actions: ['lambda:InvokeFunction'], resources: ({ drive }) => [drive] }],
  'compute:look': looking,
  'compute:measure': measuring,
  'compute:change': changing,
  'networks:look': lookingAtNetworks,
  'agent-secrets:read': [
    {
      actions: ['secretsmanager:GetSecretValue'],
      resources: ({ agents }) => agents.sharedVariables,
    },
  ],
  'executions:start': [
    { actions: ['states:StartExecution'], resources: ({ stateMachine }) => [stateMachine] },
  ],
  'executions:read': [{ actions: ['states:DescribeExecution'], resources: ({ executions }) => [executions] }],
  'tasks:answer': [
    {
      actions: ['states:SendTaskSuccess', 'states:SendTaskFailure'],
      resources: ({ stateMachine }) => [stateMachine],
    },
  ],
  'builds:start': [onBuilds('StartBuild')],
  'builds:stop': [onBuilds('StopBuild')],
  'builds:read': [onBuilds('BatchGetBuilds')],
  'images:read': [onRepositories('DescribeImages')],
  'repositories:create': [onRepositories('CreateRepository', 'PutLifecyclePolicy')],
  'repositories:push': [{ actions: ['sts:AssumeRole'], resources: ({ pushRole }) => [pushRole] }],
  'images:hold': [onRepositories('BatchGetImage', 'PutImage')],
  'images:delete': [onRepositories('DeleteRepository')],
  'registry:pull': [{ actions: ['sts:AssumeRole'], resources: ({ pullRole }) => [pullRole] }],
};

/** Without it S3 answers 403 for an object that is not there, and nobody could be told so. */
function listing(prefix: string): Rule {
  return {
    actions: ['s3:ListBucket'],
    resources: ({ bucket }) => [bucket],
    condition: () => ({ StringLike: { 's3:prefix': `${prefix}/*` } }),
  };
}

function onBuilds(action: string): Rule {
  return { actions: [`codebuild:${action}`], resources: ({ buildProject }) => [buildProject] };
}

function onRepositories(...actions: string[]): Rule {
  return {
    actions: actions.map((action) => `ecr:${action}`),
    resources: ({ repositories }) => [repositories],
  };
}

/** What a role may do: these actions on these resources, where the condition holds. */
export type AllowedActions = {
  actions: string[];
  resources: string[];
  condition: PolicyCondition | undefined;
};

/** What these words permit: one permission for each set of resources, its actions in order. */
export function permissionsFor(access: readonly Access[], arns: Arns): AllowedActions[] {
  const grouped = new Map<string, Omit<AllowedActions, 'actions'> & { actions: Set<string> }>();
  for (const rule of access.flatMap((word) => rules[word])) {
    const resources = rule.resources(arns);
    // What a setting would name, and does not.
    if (resources.length === 0) continue;
    const condition = rule.condition?.(arns);
    const id = JSON.stringify([resources, condition]);
    const group = grouped.get(id) ?? { actions: new Set(), resources, condition };
    for (const action of rule.actions) group.actions.add(action);
    grouped.set(id, group);
  }
  return [...grouped.values()].map((group) => ({ ...group, actions: [...group.actions].sort() }));
}
