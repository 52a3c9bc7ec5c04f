import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { freeText } from '../../contract/validation/json.ts';
import { textRule } from '../../contract/validation/problems.ts';
import { id } from '../../contract/validation/query.ts';
import { configPathProblem, repoRefProblem, repoUrlProblem } from '../../contract/validation/text.ts';
import { branchesView, lookView, sourceView } from './shape.ts';

const repository = {
  repo_url: freeText.superRefine(textRule(repoUrlProblem)),
  /** Whose token reads it; absent: it is read as anybody may. */
  integration_id: id.optional(),
};
const path = freeText.superRefine(textRule(configPathProblem)).optional();

export const listBranches = route({
  operation: 'listBranches',
  method: 'GET',
  path: '/v2/repositories/branches',
  handler: 'functions/api/repositories/branches.ts',
  access: ['table:get', 'keys:decrypt'],
  area: 'deployments',
  permission: 'deployments:write',
  summary: 'List the branches of a repository, the default branch first',
  success: 200,
  query: z.object({ ...repository, name_contains: z.string().optional() }),
  response: branchesView,
  audit: { none: 'the token goes to its own host alone; what it reads is what a build would read' },
  errors: ['integration_not_found'],
  variables: ['ALLOWED_HOSTS'],
});

export const lookAtRepository = route({
  operation: 'lookAtRepository',
  method: 'GET',
  path: '/v2/repositories/look',
  handler: 'functions/api/repositories/look.ts',
  access: ['table:get', 'keys:decrypt'],
  area: 'deployments',
  permission: 'deployments:write',
  summary:
    'Look at a repository before it is deployed: what a build would find, and which variables it names',
  success: 200,
  query: z.object({
    ...repository,
    /** Absent: the default branch. */
    ref: freeText.superRefine(textRule(repoRefProblem)).optional(),
    root_directory: path,
    config_path: path,
  }),
  response: lookView,
  audit: { none: 'the token goes to its own host alone; what it reads is what a build would read' },
  errors: ['integration_not_found'],
  variables: ['ALLOWED_HOSTS'],
});

export const getSource = route({
  operation: 'getSource',
  method: 'GET',
  path: '/v2/deployments/{deployment_id}/source',
  handler: 'functions/api/repositories/source.ts',
  access: ['table:get', 'keys:decrypt'],
  area: 'deployments',
  permission: 'deployments:read',
  summary: 'Show what a build of the branch would take now, and which commits what serves is behind',
  success: 200,
  params: z.object({ deployment_id: id }),
  response: sourceView,
  audit: { none: 'the token goes to its own host alone; what it reads is what a build would read' },
  errors: ['deployment_not_found', 'state_forbids'],
  variables: ['ALLOWED_HOSTS'],
});
