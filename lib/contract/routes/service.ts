import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { route } from './route.ts';

export const getOk = route({
  operation: 'getOk',
  method: 'GET',
  path: '/ok',
  handler: 'functions/api/service/ok.ts',
  access: [],
  area: 'core',
  permission: 'public',
  summary: 'Whether the service answers',
  success: 200,
  response: lazy(() => z.object({ ok: z.boolean() })),
});
