import { describe, expect, test } from 'vitest';
import type { DurableWish } from '../../../lib/contract/deployments/runtimes.ts';
import { jobFor, messageOf, setUp, unpack } from '../../integration/builder/set-up.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import { isBrief } from '../../support/run/brief.ts';

const agent = {
  'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
  'agent.py': 'graph = None\n',
};

async function build(
  files: Record<string, string>,
  more: { installCommand?: string; durable?: DurableWish } = {},
) {
  const { run, blobs } = await setUp();
  const { url } = await gitRepository({ ...agent, ...files });
  const { state, log } = await run(jobFor(url, { durable: 'asked', ...more }));
  if (state.state !== 'succeeded' || state.artifact.kind !== 'folder')
    return { files: [], log, failure: messageOf(state), durable: undefined };
  const { durable, key } = state.artifact;
  return { files: [...(await unpack(blobs, key)).keys()], log, failure: undefined, durable };
}

describe('a build for the durable agent server', () => {
  test('has its worker, what that needs, and no other server', async () => {
    const { files, log, failure, durable } = await build({ 'requirements.txt': 'langgraph\n' });
    expect(failure).toBeUndefined();
    expect(durable).toBe(true);
    expect(files).toContain('.slipway.worker/slipway_worker/__main__.py');
    const packages = files.map((path) => /site-packages\/([a-z_]+)\/__init__\.py$/.exec(path)?.[1]);
    expect(packages).toEqual(expect.arrayContaining(['psycopg', 'psycopg_pool']));
    expect(packages).not.toContain('langgraph_api');
    expect(files.some((path) => path.includes('langgraph/checkpoint/postgres/aio.py'))).toBe(true);
    expect(log).toContainEqual(expect.stringMatching(/^The durable agent server adds .*psycopg 3\./));
    expect(log).toContainEqual('Start: the durable agent server of langgraph.json');
  });

  test.skipIf(isBrief)('raises what is older than its worker takes, and says so', async () => {
    const installCommand = 'uv pip install langgraph==0.6.11';
    const { log, failure } = await build({ 'requirements.txt': '' }, { installCommand });
    expect(failure).toBeUndefined();
    expect(log).toContainEqual(
      expect.stringMatching(/these are not as the project has them: .*langgraph 0\.6\.11 -> 1\.\d/),
    );
  });

  test.skipIf(isBrief)('fails, with both versions, where the project takes no newer ones', async () => {
    const { failure } = await build({ 'requirements.txt': 'langgraph<1\n' });
    expect(failure).toMatch(
      /^The durable agent server needs langgraph 1\.0 or later .* \(by itself it has langgraph 0\.6\.\d+\)/,
    );
    expect(failure).toContain('langgraph<1');
  });

  test.skipIf(isBrief)(
    'becomes one for the development server there, where nobody asked for the durable one',
    async () => {
      const { files, log, failure, durable } = await build(
        { 'requirements.txt': 'langgraph<1\n' },
        { durable: 'preferred' },
      );
      expect(failure).toBeUndefined();
      expect(durable).toBeUndefined();
      expect(log).toContainEqual(
        expect.stringMatching(/needs langgraph 1\.0 .* Its runtime is 'dev' therefore/),
      );
      expect(files.some((path) => path.includes('/langgraph_api/'))).toBe(true);
      expect(files.some((path) => path.startsWith('.slipway.worker/'))).toBe(false);
    },
  );
});
