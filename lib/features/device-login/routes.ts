import { route } from '../../contract/routes/route.ts';
import {
  confirmDeviceLoginBody,
  confirmedDeviceLoginView,
  createDeviceCodeBody,
  createDeviceTokenBody,
  deviceCodeView,
  deviceLoginView,
  deviceTokenView,
  deviceUserCodeBody,
} from './shape.ts';

const common = { area: 'identity', method: 'POST', success: 200 } as const;

export const createDeviceCode = route({
  ...common,
  operation: 'createDeviceCode',
  path: '/v2/device/code',
  handler: 'functions/api/device-login/create-code.ts',
  access: ['table:put', 'table:update'],
  audit: { none: 'nobody is known yet: who confirms or denies it is in the audit, with where it came from' },
  permission: 'public',
  summary: 'Begin the login of a program: the code that it shows, and the one that it waits with',
  body: createDeviceCodeBody,
  response: deviceCodeView,
  credential: true,
  errors: ['too_many_logins'],
});

export const createDeviceToken = route({
  ...common,
  operation: 'createDeviceToken',
  path: '/v2/device/token',
  handler: 'functions/api/device-login/create-token.ts',
  access: ['table:get', 'table:put', 'table:update', 'table:delete', 'table:check'],
  audit: ['device_login.create'],
  permission: 'public',
  summary: 'Fetch the key of a login once somebody has confirmed it; it is shown this once',
  body: createDeviceTokenBody,
  response: deviceTokenView,
  credential: true,
  errors: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'],
});

export const findDeviceLogin = route({
  ...common,
  operation: 'findDeviceLogin',
  path: '/v2/device/lookup',
  handler: 'functions/api/device-login/find.ts',
  access: ['table:get', 'table:update'],
  audit: { none: 'it changes nothing but how many tries are left' },
  permission: 'self:read',
  summary: 'Who asks to be let in with the code that a person has typed, and what they may give',
  body: deviceUserCodeBody,
  response: deviceLoginView,
  variables: ['KEY_DAYS'],
  errors: ['device_login_not_found', 'too_many_tries', 'state_forbids'],
});

export const confirmDeviceLogin = route({
  ...common,
  operation: 'confirmDeviceLogin',
  path: '/v2/device/confirm',
  handler: 'functions/api/device-login/confirm.ts',
  access: ['table:get', 'table:update'],
  audit: ['device_login.confirm'],
  permission: 'self:read',
  summary: 'Let a program in, with a key for this tenant that is not above the own role and ends with it',
  body: confirmDeviceLoginBody,
  response: confirmedDeviceLoginView,
  variables: ['KEY_DAYS'],
  errors: ['device_login_not_found', 'too_many_tries', 'state_forbids'],
});

export const denyDeviceLogin = route({
  ...common,
  operation: 'denyDeviceLogin',
  path: '/v2/device/deny',
  handler: 'functions/api/device-login/deny.ts',
  access: ['table:get', 'table:update'],
  audit: ['device_login.deny'],
  permission: 'self:read',
  summary: 'Turn a program away that asks to be let in',
  success: 204,
  body: deviceUserCodeBody,
  response: null,
  errors: ['device_login_not_found', 'too_many_tries'],
});

export const deleteDeviceToken = route({
  ...common,
  operation: 'deleteDeviceToken',
  method: 'DELETE',
  path: '/v2/device/token',
  handler: 'functions/api/device-login/delete-token.ts',
  access: ['table:get', 'table:update', 'table:delete'],
  audit: ['device_login.delete'],
  permission: 'self:read',
  summary: 'End the login whose key this is, at once',
  success: 204,
  response: null,
  errors: ['state_forbids'],
});
