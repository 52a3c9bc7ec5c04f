import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findDynamoDb } from '../../../lib/embedded/dynoxide/binary.ts';
import { startDynoxide } from '../../../lib/embedded/dynoxide/server.ts';
import { indexStream } from '../../../lib/embedded/dynoxide/table.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { quickFolder, runFolder } from './quick-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the one DynamoDB that the test files of a run share, each with tables of its own. */
    dynamoDbEndpoint: string;
  }
}

/**
 * Starts one dynoxide for the whole run, in a folder that goes with it. Without one for this platform the run
 * fails.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const source = findDynamoDb(process.env);
  if (source.kind === 'endpoint') {
    project.provide('dynamoDbEndpoint', source.url);
    return async () => {};
  }
  const processes = new ProcessSupervisor();
  const file = join(runFolder(quickFolder()), 'table.db');
  const server = await startDynoxide({ processes, binary: source.path, file });
  indexStream(file);
  project.provide('dynamoDbEndpoint', server.endpoint);
  return async () => {
    await server.stop();
    await processes.close();
  };
}
