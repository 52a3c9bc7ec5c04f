import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { type ConsoleOutput, consoleHeaders, consoleTypes, consoleView } from './shape.ts';

const common = { method: 'GET', access: [], area: 'core', permission: 'public' } as const;

const page = {
  ...common,
  success: 200,
  handler: 'functions/api/console/page.ts',
  contentTypes: consoleTypes,
  response: consoleView,
  errors: ['path_not_found'],
  headers: (output: ConsoleOutput) => consoleHeaders(output),
  // Without any one of the issuer's the page may not talk to it.
  variables: [
    'OIDC_ISSUER',
    'OIDC_AUDIENCE',
    'OIDC_CLIENT_ID',
    'OIDC_TOKEN_ENDPOINT',
    'UPLOAD_ORIGIN',
    'AGENT_ORIGINS',
  ],
} as const;

/** A tab on its way to the console stays a tab of the console: it keeps the session that it has. */
const leadingOn = ({ location }: { location: string }) => ({
  'Cross-Origin-Opener-Policy': 'same-origin',
  Location: location,
});

export const getConsole = route({
  ...page,
  operation: 'getConsole',
  path: '/console',
  summary: 'The console: a page to look at deployments and to work on them',
});

export const getConsolePart = route({
  ...page,
  operation: 'getConsolePart',
  path: '/console/{proxy+}',
  summary: 'A place in the console, or a file of it (`assets/…`)',
  params: z.object({ proxy: z.string().optional() }),
});

export const getHome = route({
  ...common,
  operation: 'getHome',
  path: '/',
  handler: 'functions/api/console/home.ts',
  summary: 'Leads to the console',
  success: 302,
  response: null,
  headers: leadingOn,
});

export const openConsole = route({
  ...common,
  operation: 'openConsole',
  path: '/o/{tenant_id}/host/deployments/{deployment_id}',
  handler: 'functions/api/console/open.ts',
  summary: 'Where clients send people to look at a deployment; leads to its page in the console',
  success: 302,
  params: z.object({ tenant_id: z.string(), deployment_id: z.string() }),
  response: null,
  headers: leadingOn,
});
