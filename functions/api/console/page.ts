import { agentOrigins, consoleFiles, signIn, uploadOrigin } from '../../../lib/container.ts';
import { showConsole } from '../../../lib/features/console-pages/page.ts';
import { getConsolePart as row } from '../../../lib/features/console-pages/routes.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, showConsole);
export const handler = create(() => ({
  consoleFiles: consoleFiles(),
  signIn: signIn(),
  uploadOrigin: uploadOrigin(),
  agentOrigins,
}));
