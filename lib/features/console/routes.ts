import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { consoleLinkView, consoleSessionBody, consoleSessionView, meView, signInView } from './shape.ts';

const common = { area: 'identity', success: 200 } as const;

export const getMe = route({
  ...common,
  operation: 'getMe',
  method: 'GET',
  path: '/v2/me',
  handler: 'functions/api/console/me.ts',
  access: ['table:get', 'table:query'],
  permission: 'self:read',
  summary: 'Who the credential is, what it may do and in which tenants',
  response: meView,
  tenantOptional: true,
});

export const createConsoleLink = route({
  ...common,
  operation: 'createConsoleLink',
  method: 'POST',
  path: '/v2/console-links',
  handler: 'functions/api/console/create-link.ts',
  access: ['table:get', 'table:put'],
  audit: ['console_link.create'],
  permission: 'self:read',
  summary: 'Make a link that signs in to the console once, within five minutes, with the role of this key',
  success: 201,
  body: z.object({}),
  response: consoleLinkView,
  credential: true,
  errors: ['state_forbids'],
});

export const createConsoleSession = route({
  ...common,
  operation: 'createConsoleSession',
  method: 'POST',
  path: '/v2/console-sessions',
  handler: 'functions/api/console/create-session.ts',
  access: ['table:get', 'table:put', 'table:delete', 'table:check'],
  audit: ['console_session.create'],
  permission: 'public',
  summary: 'Take the code of a link for a key that is good for 12 hours at most',
  success: 201,
  body: consoleSessionBody,
  response: consoleSessionView,
  credential: true,
  errors: ['console_code_refused'],
});

export const deleteConsoleSession = route({
  ...common,
  operation: 'deleteConsoleSession',
  method: 'DELETE',
  path: '/v2/console-sessions',
  handler: 'functions/api/console/delete-session.ts',
  access: ['table:get', 'table:update', 'table:delete'],
  audit: ['console_session.delete'],
  permission: 'self:read',
  summary: 'End the session of the console whose key this is, at once',
  success: 204,
  response: null,
  errors: ['state_forbids'],
});

export const getSignIn = route({
  ...common,
  operation: 'getSignIn',
  method: 'GET',
  path: '/v2/sign-in',
  handler: 'functions/api/console/sign-in.ts',
  access: [],
  permission: 'public',
  summary: 'How people sign in to the console without a key',
  response: signInView,
  variables: ['OIDC_ISSUER', 'OIDC_AUDIENCE', 'OIDC_CLIENT_ID', 'OIDC_TOKEN_ENDPOINT'],
});
