import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { planImage } from '../../../lib/builds/codebuild/choose.ts';
import type { Job } from '../../../lib/builds/codebuild/job.ts';
import { openReport } from '../../../lib/builds/codebuild/report.ts';
import { describeFailure } from '../../../lib/domain/agent-failure.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../support/files/write-files.ts';

const config = { graphs: { a: './a.py:g' }, dependencies: ['.'] };
const stores = ['POSTGRES_URI_CUSTOM', 'REDIS_URI_CUSTOM'];

afterEach(() => vi.restoreAllMocks());

/** Plans the image of a project whose `langgraph.json` has these members too, and gives what was said. */
async function planned(
  serverLacks: Job['serverLacks'],
  langgraph: object = {},
  files: Files = {},
): Promise<string> {
  const work = await temporaryFolder();
  const source = join(work, 'source');
  await mkdir(source);
  await writeFiles(source, { 'langgraph.json': JSON.stringify({ ...config, ...langgraph }), ...files });
  const job: Job = {
    source: { kind: 'tarball', url: '', sha256: '' },
    configPath: 'langgraph.json',
    output: 'image',
    platforms: ['linux/amd64'],
    buildEnv: [],
    buildSecrets: [],
    serverLacks,
  };
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await planImage({
    job,
    work,
    source,
    home: work,
    buildName: 'r1',
    step: 'plan',
    report: openReport(work),
  });
  return printed.mock.calls.map(([text]) => String(text)).join('');
}

/** As a reason of a build stands: without the last full stop. */
const reasonFor = (missing: { stores: string[]; licence: boolean }): string =>
  describeFailure({ kind: 'needs_missing', ...missing }).replace(/\.$/, '');

describe('a project that becomes a LangGraph server', () => {
  it.each([
    ['stores', { stores, licence: false }, {}, { stores, licence: false }],
    ['stores and a licence', { stores, licence: true }, {}, { stores, licence: true }],
    ['a licence', { stores: [], licence: true }, {}, { stores: [], licence: true }],
    [
      'stores, whatever its base is',
      { stores, licence: true },
      { base_image: 'me/server' },
      { stores, licence: false },
    ],
    [
      'a licence, which its base asks for',
      { stores: [], licence: true },
      { base_image: 'langchain/langgraph-api:3.13' },
      { stores: [], licence: true },
    ],
    [
      'a licence, whatever else its config file gets wrong',
      { stores: [], licence: true },
      { base_image: 7, dockerfile_lines: [] },
      { stores: [], licence: true },
    ],
  ])('fails for want of %s before anything is built', async (_, lacks, langgraph, said) => {
    await expect(planned({ ...lacks, isAll: true }, langgraph)).rejects.toMatchObject({
      name: 'BuildFailure',
      message: reasonFor(said),
    });
  });

  it.each([
    ['another base', { stores: [], licence: true, isAll: true }, { base_image: 'me/langgraph-api:1' }],
    ['nothing missing', { stores: [], licence: false, isAll: true }, {}],
    ['nothing known to be missing', undefined, {}],
  ])('is built with %s', async (_, lacks, langgraph) => {
    expect(await planned(lacks, langgraph)).not.toContain('licence');
  });

  it.each([
    ['a cluster may give it one', { isAll: false }, {}],
    ['lines of its own may bring one', { isAll: true }, { dockerfile_lines: ['ENV A=b'] }],
  ])('is built with a warning of a missing licence where %s', async (_, where, langgraph) => {
    const missing = { stores: [], licence: true };
    const said = await planned({ ...missing, ...where }, langgraph);
    expect(said).toBe(`WARNING: ${describeFailure({ kind: 'needs_missing', ...missing })}\n`);
  });
});

describe('whatever a LangGraph server would need, there is built', () => {
  const lacks = { stores, licence: true, isAll: true };

  it.each([
    ['a project with a Dockerfile of its own', {}, { Dockerfile: 'FROM scratch\n' }, 'a Dockerfile'],
    [
      'a project without graphs',
      { graphs: undefined },
      { 'package.json': '{"scripts":{"start":"node ."}}' },
      'a Node.js server',
    ],
  ])('%s', async (_, langgraph, files, taken) => {
    const said = await planned(lacks, langgraph, files);
    expect(said).toContain(taken);
    expect(said).not.toContain('WARNING');
    expect(said).not.toContain('licence');
  });
});
