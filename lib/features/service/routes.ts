import * as z from 'zod';
import { pagePart, textView } from '../../contract/browser/api-docs.ts';
import { route } from '../../contract/routes/route.ts';

const common = { method: 'GET', access: [], area: 'core', permission: 'public', success: 200 } as const;

/** What changes only with a new version of the service. */
const keptForAnHour = { 'Cache-Control': 'public, max-age=3600' };

/**
 * Our own files and nothing else: no other host, no script in the page, no frame around it. The page is of
 * the console's origin and no part of it: it opens no windows that it could reach into, and starts no
 * workers.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "worker-src 'none'",
  'sandbox allow-scripts allow-same-origin allow-forms allow-downloads',
].join('; ');

export const getOk = route({
  ...common,
  operation: 'getOk',
  path: '/ok',
  handler: 'functions/api/service/ok.ts',
  summary: 'Whether the service answers',
  response: z.object({ ok: z.boolean() }),
});

export const getOpenApi = route({
  ...common,
  operation: 'getOpenApi',
  path: '/openapi.json',
  handler: 'functions/api/service/openapi.ts',
  summary: 'This description',
  contentTypes: ['application/json'],
  response: textView(['application/json']),
  headers: () => keptForAnHour,
});

export const getDocs = route({
  ...common,
  operation: 'getDocs',
  path: '/docs',
  handler: 'functions/api/service/docs.ts',
  summary: 'This description as a page to read and to try',
  contentTypes: ['text/html'],
  response: textView(['text/html']),
  headers: () => ({
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }),
});

export const getDocsFile = route({
  ...common,
  operation: 'getDocsFile',
  path: '/docs/{file}',
  handler: 'functions/api/service/docs-file.ts',
  summary: 'A part of that page',
  params: z.object({ file: pagePart }),
  contentTypes: ['text/css', 'text/javascript'],
  response: textView(['text/css', 'text/javascript']),
  headers: () => ({ ...keptForAnHour, 'X-Content-Type-Options': 'nosniff' }),
});
