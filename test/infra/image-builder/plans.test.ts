import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { BuildPlan } from '../../../lib/builds/plan.ts';
import { writeFiles } from '../../support/files/write-files.ts';
import { type BuildCase, buildCases, outline } from '../../support/programs/build-cases.ts';
import { aBuilder, aJob, aStore, type Builder, buildsOf, type Job } from './set-up.ts';

async function sourceOf(builder: Builder, { source, files }: BuildCase): Promise<Job> {
  if (source === 'git') {
    await builder.repository('app', files);
    return { kind: 'git', repoUrl: 'https://git.example/app', ref: 'main' };
  }
  const folder = join(builder.folder, 'upload');
  const file = join(builder.folder, 'upload.tgz');
  await mkdir(folder);
  await writeFiles(folder, files);
  execFileSync('tar', ['-czf', file, '-C', folder, '.']);
  const sha256 = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  return {
    kind: 'tarball',
    url: await aStore((_, response) => createReadStream(file).pipe(response)),
    sha256,
  };
}

// This machine is asked the same in test/integration/builder/plans.test.ts.
it.each(buildCases)('CodeBuild builds $name as planned', async (example) => {
  const { wanted, expected } = example;
  const builder = await aBuilder();
  const url = await aStore((request, response) => request.resume().on('end', () => response.end()));
  const store = { output: 'folder', artifactKey: 'k', artifactUploadUrl: url };
  const ended = await builder.run(aJob({ ...store, ...wanted, source: await sourceOf(builder, example) }));
  if ('refused' in expected) {
    expect(ended.exported.FAILURE_REASON).toMatch(expected.refused);
    expect(buildsOf(ended)).toEqual([]);
    return;
  }
  const text = await readFile(join(builder.state, 'build-0/slipway/plan.json'), 'utf8');
  // Written by the builder.
  expect(outline(JSON.parse(text) as BuildPlan)).toEqual(expected);
});
