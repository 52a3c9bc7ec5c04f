import * as z from 'zod';
import { route } from '../../contract/routes/route.ts';
import { type CliOutput, cliHeaders, cliTypes, cliView } from './shape.ts';

const common = {
  method: 'GET',
  access: [],
  area: 'core',
  permission: 'public',
  success: 200,
  handler: 'functions/api/command-line/file.ts',
  contentTypes: cliTypes,
  response: cliView,
  errors: ['path_not_found'],
  headers: (output: CliOutput) => cliHeaders(output),
} as const;

export const getCli = route({
  ...common,
  operation: 'getCli',
  path: '/cli',
  summary: 'The lines that install the command line, for this installation',
});

export const getCliFile = route({
  ...common,
  operation: 'getCliFile',
  path: '/cli/{file}',
  summary: 'A file of the command line: `slipway.mjs`, a package for npm, `manifest.json` names all',
  params: z.object({ file: z.string().optional() }),
});
