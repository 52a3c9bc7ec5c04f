import { showConsole } from '../../../lib/app/console/page.ts';
import { consoleFiles, signIn, uploadOrigin } from '../../../lib/container.ts';
import { getConsolePart as row } from '../../../lib/contract/routes/console-pages.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, showConsole);
export const handler = create(() => ({
  consoleFiles: consoleFiles(),
  signIn: signIn(),
  uploadOrigin: uploadOrigin(),
}));
