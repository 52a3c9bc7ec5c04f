import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { id, page } from '../../contract/validation/query.ts';
import {
  createTokenRuleBody,
  exchangedTokenView,
  exchangeTokenBody,
  tokenRuleListView,
  tokenRuleView,
} from './shape.ts';

const params = z.object({ rule_id: id });

export const createTokenRule = route({
  operation: 'createTokenRule',
  method: 'POST',
  path: '/v2/token-rules',
  handler: 'functions/api/token-rules/create.ts',
  access: ['table:get', 'table:query', 'table:put'],
  audit: ['token_rule.create'],
  area: 'identity',
  permission: 'keys:write',
  summary: 'Let jobs of one repository exchange the tokens of their CI for keys of an hour',
  success: 201,
  body: createTokenRuleBody,
  response: tokenRuleView,
  errors: ['state_forbids'],
  variables: ['OIDC_ISSUERS', 'OIDC_ISSUER'],
});

export const listTokenRules = route({
  operation: 'listTokenRules',
  method: 'GET',
  path: '/v2/token-rules',
  handler: 'functions/api/token-rules/list.ts',
  access: ['table:get', 'table:query'],
  area: 'identity',
  permission: 'keys:read',
  summary: 'List the rules by which tokens of CI are exchanged for keys, newest first',
  success: 200,
  query: z.object(page),
  response: tokenRuleListView,
});

export const getTokenRule = route({
  operation: 'getTokenRule',
  method: 'GET',
  path: '/v2/token-rules/{rule_id}',
  handler: 'functions/api/token-rules/get.ts',
  access: ['table:get'],
  area: 'identity',
  permission: 'keys:read',
  summary: 'Get a rule by which tokens of CI are exchanged for keys',
  success: 200,
  params,
  response: tokenRuleView,
  errors: ['token_rule_not_found'],
});

export const deleteTokenRule = route({
  operation: 'deleteTokenRule',
  method: 'DELETE',
  path: '/v2/token-rules/{rule_id}',
  handler: 'functions/api/token-rules/delete.ts',
  access: ['table:get', 'table:update', 'table:delete'],
  audit: ['token_rule.delete'],
  area: 'identity',
  permission: 'keys:write',
  summary: 'Delete a rule, and revoke the keys that were given by it, at once',
  success: 204,
  params,
  response: null,
  errors: ['token_rule_not_found'],
});

export const exchangeToken = route({
  operation: 'exchangeToken',
  method: 'POST',
  path: '/v2/token',
  handler: 'functions/api/token-rules/exchange.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'table:check'],
  audit: ['api_key.exchange'],
  area: 'identity',
  permission: 'public',
  summary: 'Exchange a token of CI for a key of an hour (RFC 8693), as JSON or as a form',
  success: 200,
  body: exchangeTokenBody,
  response: exchangedTokenView,
  credential: true,
  errors: [
    'grant_type_unsupported',
    'subject_token_refused',
    'token_rule_missing',
    'token_rule_unfit',
    'token_tenant_unclear',
    'too_many_exchanges',
  ],
  variables: ['OIDC_ISSUERS', 'OIDC_ISSUER', 'ALLOWED_HOSTS'],
});
