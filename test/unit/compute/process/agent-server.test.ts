import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findAgentServer } from '../../../../lib/compute/process/agent-server.ts';
import { temporaryFolder } from '../../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../../support/files/write-files.ts';

const run = promisify(execFile);
const json = (value: object) => JSON.stringify(value);
const ADDED = '.slipway-agent-server/node_modules';

/** A package of a library that says which copy it is. */
const library = (at: string, name: string, version: string, paths: string[] = ['.']): Files => ({
  [`${at}/@langchain/${name}/package.json`]: json({
    name: `@langchain/${name}`,
    version,
    type: 'module',
    exports: Object.fromEntries(paths.map((path) => [path, './index.js'])),
  }),
  [`${at}/@langchain/${name}/index.js`]: `export const is = '${name} ${version}';`,
});

/** An artifact with an agent server that prints which copies it and the graph of the project see. */
async function artifactOf(files: Files) {
  const folder = await temporaryFolder();
  const serverPackage = { version: '1.0.0', peerDependencies: { '@langchain/langgraph': '^1.3.6' } };
  await writeFiles(folder, {
    ...library(ADDED, 'langgraph', '1.7.3', ['.', './stream']),
    ...library(ADDED, 'langgraph-checkpoint', '1.2.2'),
    [`${ADDED}/@langchain/langgraph-api/package.json`]: json(serverPackage),
    [`${ADDED}/.bin/langgraphjs`]: `#!/bin/sh\nexec node "$(dirname "$0")/../server.js"\n`,
    [`${ADDED}/server.js`]: `
      import { is as stream } from '@langchain/langgraph/stream';
      import { is as checkpoint } from '@langchain/langgraph-checkpoint';
      const { graph } = await import('../../app/graph.js');
      console.log(JSON.stringify({ server: [stream, checkpoint], graph }));`,
    [`${ADDED}/package.json`]: json({ type: 'module' }),
    'app/package.json': json({ type: 'module' }),
    'app/graph.js': `import { is } from '@langchain/langgraph'; export const graph = is;`,
    ...files,
  });
  await run('chmod', ['+x', join(folder, ADDED, '.bin/langgraphjs')]);
  const server = await findAgentServer(join(folder, 'app'), folder, [], join(folder, 'mark'));
  if (server === undefined) throw new Error('no agent server was found');
  const start = async () => {
    const imports = { NODE_OPTIONS: `--import=${server.imports}` };
    const options = { cwd: join(folder, 'app'), env: { PATH: process.env.PATH, ...imports } };
    const { stdout } = await run(server.tool, [], options);
    return JSON.parse(stdout);
  };
  return { server, start };
}

it.each([
  ['in its own folder', 'app/node_modules'],
  ['above it', 'node_modules'],
])('shares the library of the project when that is new enough, %s', async (_, at) => {
  const { server, start } = await artifactOf({
    ...library(at, 'langgraph', '1.4.12', ['.', './stream']),
    // As pnpm lays it out: beside the library alone.
    ...library(`${at}/@langchain/langgraph/node_modules`, 'langgraph-checkpoint', '1.1.5'),
  });
  expect(server.remark).toBe('');
  expect(await start()).toMatchObject({
    server: ['langgraph 1.4.12', 'langgraph-checkpoint 1.1.5'],
    graph: 'langgraph 1.4.12',
  });
});

it('has graphs use its own library where that of the project is too old, and says so', async () => {
  const { server, start } = await artifactOf({
    ...library('app/node_modules', 'langgraph', '0.2.5'),
    ...library('app/node_modules', 'langgraph-checkpoint', '0.0.6'),
  });
  expect(server.remark).toMatch(/\^1\.3\.6, and the project has 0\.2\.5$/);
  expect(await start()).toMatchObject({
    server: ['langgraph 1.7.3', 'langgraph-checkpoint 1.2.2'],
    graph: 'langgraph 1.7.3',
  });
});

it('is the project’s own where it brings one', async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'node_modules/.bin/langgraphjs': '', [`${ADDED}/.bin/langgraphjs`]: '' });
  const own = join(folder, 'node_modules/.bin');
  const find = () => findAgentServer(folder, folder, [own], '/mark');
  expect(await find()).toEqual({
    tool: join(own, 'langgraphjs'),
    imports: expect.stringMatching(/agent-imports\.ts\?mark=%2Fmark$/),
    remark: '',
  });
  // A Node of its own may not understand what is imported.
  await writeFiles(folder, { 'node_modules/.bin/node': '' });
  expect(await find()).toMatchObject({ imports: undefined });
});
