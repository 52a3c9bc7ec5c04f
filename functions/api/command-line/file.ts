import { cliFiles } from '../../../lib/container.ts';
import { showCli } from '../../../lib/features/command-line/file.ts';
import { getCliFile as row } from '../../../lib/features/command-line/routes.ts';
import { publicEndpoint } from '../../../lib/http/endpoint.ts';

export const create = publicEndpoint(row, showCli);
export const handler = create(() => ({ cliFiles: cliFiles() }));
