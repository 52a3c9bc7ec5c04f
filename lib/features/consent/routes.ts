import * as z from 'zod';
import { textView } from '../../contract/browser/api-docs.ts';
import { pageHeaders } from '../../contract/browser/page.ts';
import { route } from '../../contract/routes/route.ts';
import { freeText } from '../../contract/validation/json.ts';
import { id } from '../../contract/validation/query.ts';
import {
  authenticateBody,
  authenticateView,
  callbackBody,
  completeBody,
  consentView,
  waitQuery,
  waitView,
} from './shape.ts';

const authId = z.object({ auth_id: id });
const nonce = z.object({ nonce: z.string() });
const providerId = z.object({ provider_id: freeText });

/** For pages, which browsers open without an API key. */
const ofPages = {
  area: 'auth',
  permission: 'public',
  contentTypes: ['text/html'],
  response: textView(['text/html']),
  headers: () => pageHeaders(''),
} as const;

export const authenticate = route({
  operation: 'authenticate',
  method: 'POST',
  path: '/v2/auth/authenticate',
  handler: 'functions/api/consent/authenticate.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'keys:generate', 'keys:decrypt'],
  audit: ['oauth_token.read', 'consent.request'],
  area: 'auth',
  permission: 'tokens:write',
  summary: 'An access token for a person at a provider, or the address at which they consent',
  success: 200,
  body: authenticateBody,
  response: authenticateView,
  errors: ['oauth_provider_not_found', 'oauth_token_not_found', 'provider_unavailable'],
  variables: ['ALLOWED_HOSTS'],
  credential: true,
});

export const waitForConsent = route({
  operation: 'waitForConsent',
  method: 'GET',
  path: '/v2/auth/wait/{auth_id}',
  handler: 'functions/api/consent/wait.ts',
  access: ['table:get', 'keys:decrypt'],
  audit: ['oauth_token.read'],
  area: 'auth',
  permission: 'tokens:read',
  summary: 'Wait until a person has consented; only for the user who requested it',
  success: 200,
  params: authId,
  query: waitQuery,
  response: waitView,
  headers: ({ location }: { location?: string }) => (location === undefined ? {} : { Location: location }),
  leadsOn: true,
  credential: true,
});

export const showBegin = route({
  ...ofPages,
  operation: 'showBegin',
  method: 'GET',
  path: '/v2/auth/begin/{nonce}',
  handler: 'functions/api/consent/show-begin.ts',
  access: ['table:get'],
  summary: 'The page that says who asks for access to what; opening it changes nothing',
  success: 200,
  params: nonce,
  page: { statuses: [403, 410, 422, 500, 503] },
});

export const begin = route({
  ...ofPages,
  operation: 'begin',
  method: 'POST',
  path: '/v2/auth/begin/{nonce}',
  handler: 'functions/api/consent/begin.ts',
  access: ['table:get', 'table:update', 'keys:generate', 'keys:decrypt'],
  audit: { none: "opens the provider's page in one browser; what the person grants there is audited" },
  summary: 'The form of that page: marks this browser and sends it on to the provider',
  success: 303,
  params: nonce,
  response: null,
  headers: () => ({ ...pageHeaders(''), Location: '' }),
  page: { statuses: [403, 410, 422, 500, 503] },
  variables: ['ALLOWED_HOSTS'],
});

const ofCallback = {
  ...ofPages,
  method: 'GET',
  handler: 'functions/api/consent/callback-page.ts',
  access: ['table:get', 'table:query', 'table:update', 'keys:generate', 'keys:decrypt'],
  audit: ['oauth_token.create'],
  summary: 'Where a provider sends the browser back to; needs the cookie of the browser that began',
  success: 200,
  params: providerId,
  page: { statuses: [403, 410, 422, 500, 503], writes: 'a provider answers by sending the browser here' },
  variables: ['ALLOWED_HOSTS'],
} as const;

export const callbackPage = route({
  ...ofCallback,
  operation: 'callbackPage',
  path: '/v2/auth/callback/{provider_id}',
});

export const callbackPageAlias = route({
  ...ofCallback,
  operation: 'callbackPageAlias',
  path: '/host-oauth-callback/{provider_id}',
});

const ofCode = {
  method: 'POST',
  handler: 'functions/api/consent/callback.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'keys:generate', 'keys:decrypt'],
  audit: ['oauth_token.create'],
  area: 'auth',
  permission: 'tokens:write',
  summary: 'Hand over the code that reached a front end of one’s own',
  success: 200,
  params: providerId,
  body: callbackBody,
  response: consentView,
  errors: [
    'oauth_provider_not_found',
    'state_refused',
    'consent_failed',
    'auth_request_over',
    'provider_unavailable',
  ],
  variables: ['ALLOWED_HOSTS'],
} as const;

export const callback = route({
  ...ofCode,
  operation: 'callback',
  path: '/v2/auth/callback/{provider_id}',
});

export const callbackAlias = route({
  ...ofCode,
  operation: 'callbackAlias',
  path: '/host-oauth-callback/{provider_id}',
});

export const completeConsent = route({
  operation: 'completeConsent',
  method: 'POST',
  path: '/v2/auth/complete/{auth_id}',
  handler: 'functions/api/consent/complete.ts',
  access: ['table:get', 'table:query', 'table:put', 'table:update', 'keys:generate', 'keys:decrypt'],
  audit: ['oauth_token.create'],
  area: 'auth',
  permission: 'tokens:write',
  summary: 'Confirm, with the code that the consenting browser shows, that it was the user who asked',
  success: 200,
  params: authId,
  body: completeBody,
  response: consentView,
  errors: ['auth_request_not_found', 'auth_request_over', 'confirmation_refused'],
});
