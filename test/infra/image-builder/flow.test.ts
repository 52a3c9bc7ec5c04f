import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPORTED } from '../../../lib/builds/codebuild/reported.ts';
import { buildspec } from '../../../lib/infra/builds.ts';
import { aBuilder, aJob, aStore, buildsOf, digest, type Ended, jobKey, repository } from './set-up.ts';

const app = { Dockerfile: 'FROM scratch\n', 'package.json': '{"scripts":{"start":"node ."}}' };

const expectFailed = (ended: Ended, reason: string | RegExp): void => {
  expect(ended.lines.at(-1)).toMatch(typeof reason === 'string' ? `ERROR: ${reason}` : reason);
  expect(ended.exported.FAILURE_REASON).toBe(ended.lines.at(-1)?.slice('ERROR: '.length));
  expect(Object.keys(ended.exported).filter((name) => name.startsWith('ARTIFACT'))).toEqual([]);
  // For CodeBuild it is a good build: the reason is what it reports.
  expect(ended.code).toBe(0);
};

describe('the buildspec', () => {
  it('exports what builds report', () => {
    expect(buildspec()).toMatchObject({ env: { 'exported-variables': REPORTED } });
  });

  it('has commands of one line, which the service repeats in the log as one', () => {
    // The buildspec is an object of this form by the format's own rules.
    const { phases } = buildspec() as { phases: { build: { commands: string[] } } };
    expect(phases.build.commands.filter((command) => command.includes('\n'))).toEqual([]);
  });
});

describe('what a build has to do', () => {
  it('is taken and removed before anything else', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const { calls } = await builder.run(aJob());
    const place = ['--bucket', 'bucket', '--key', jobKey];
    expect(calls[0]?.args.slice(0, 6)).toEqual(['s3api', 'get-object', ...place]);
    expect(calls[1]?.args).toEqual(['s3api', 'delete-object', ...place]);
    expect(calls.filter(({ tool, args }) => tool === 'aws' && args[0] === 's3api')).toHaveLength(2);
  });

  it('must be removable: what holds credentials does not stay', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    await writeFile(join(builder.state, 'keeps-jobs'), '');
    const ended = await builder.run(aJob());
    expectFailed(ended, 'The description of this build could not be deleted');
    expect(ended.calls.map(({ tool }) => tool)).toEqual(['aws', 'aws']);
  });

  it.each(['image', 'folder'])('is in no file while code of the user runs: %s', async (output) => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const credentials = { host: 'git.example', token: 'token-of-the-integration' };
    const source = { kind: 'git', repoUrl: 'https://git.example/app', ref: 'main', credentials };
    const url = await aStore((request, response) => request.resume().on('end', () => response.end()));
    const ended = await builder.run(
      aJob({ source, output, artifactUploadUrl: `${url}/x?X-Signature=1`, artifactKey: 'k' }),
    );
    expect(buildsOf(ended)).toHaveLength(1);
    expect(Object.keys(ended.exported)).toContain(output === 'image' ? 'ARTIFACT_DIGEST' : 'ARTIFACT_KEY');
    expect(await readFile(join(builder.state, 'reachable'), 'utf8')).toBe('');
  });

  it('leaves nothing behind on the machine but what is reported', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    await builder.run(aJob());
    const left = await builder.leftovers();
    const texts = await Promise.all(
      left.map((name) => readFile(join(builder.folder, 'tmp', name), 'utf8').catch(() => '')),
    );
    expect(texts.join('')).not.toMatch(/push-secret|push-session/);
    expect(left.some((name) => name.includes('job.json'))).toBe(false);
  });
});

describe('an image', () => {
  it('is built from the Dockerfile of the project, pushed afterwards, and reported by digest', async () => {
    const builder = await aBuilder();
    const { git, commit } = await builder.repository('app', app);
    await commit({ 'more.txt': 'more' });
    const commitSha = git('rev-parse', 'HEAD');
    const ended = await builder.run(aJob());
    expect(ended.exported).toEqual({
      ARTIFACT_DIGEST: digest,
      ARTIFACT_SERVER: 'other',
      COMMIT_SHA: commitSha,
    });
    const [build] = buildsOf(ended);
    expect(build?.args).toEqual(
      expect.arrayContaining(['--platform', 'linux/amd64', '--no-cache', '--load']),
    );
    expect(build?.args).toEqual(expect.arrayContaining(['--tag', `${repository}:rev-revision-1`]));
    const dockers = ended.calls.filter(({ tool }) => tool === 'docker').map(({ args }) => args);
    const words = dockers.map((args) => (args[0] === '--config' ? args[2] : args[0]));
    const toBuild = words.slice(words.indexOf('inspect') + 1);
    // It is asked until it is there.
    expect(toBuild[0]).toBe('info');
    expect(toBuild.filter((word) => word !== 'info')).toEqual(['buildx', 'login', 'push', 'image']);
    expect(await readFile(join(builder.state, 'password'), 'utf8')).toBe('password-of-push-key-id');
  });

  it('of several platforms is one list of images', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const ended = await builder.run(aJob({ platforms: ['linux/amd64', 'linux/arm64'] }));
    const emulation = ended.calls.find(({ args }) => args.includes('--privileged'));
    expect(emulation?.args.join(' ')).toMatch(/@sha256:[0-9a-f]{64} --install all$/);
    expect(ended.exported.ARTIFACT_DIGEST).toBe(digest);
    const tag = `${repository}:rev-revision-1`;
    const created = ended.calls
      .find(({ tool, args }) => tool === 'docker' && args.includes('create'))
      ?.args.slice(2);
    expect(created).toEqual(['manifest', 'create', tag, `${tag}-linux-amd64`, `${tag}-linux-arm64`]);
  });

  it.each([
    ['a registry that refuses', 'no-push', 'The image could not be pushed to the registry'],
    ['a firewall that refuses', 'no-firewall', 'The build machine could not be isolated'],
  ])('is not reported with %s', async (_, broken, reason) => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    await writeFile(join(builder.state, broken), '');
    const ended = await builder.run(aJob());
    expectFailed(ended, reason);
    if (broken !== 'no-firewall') return;
    expect(ended.calls.map(({ tool }) => tool)).not.toContain('git');
    expect(buildsOf(ended)).toEqual([]);
  });

  it('needs a registry, and a digest of its own', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    expectFailed(await builder.run(aJob({ push: undefined })), 'This installation has no image registry');
    await writeFile(join(builder.state, 'repo-digests'), JSON.stringify([`elsewhere@${digest}`]));
    expectFailed(await builder.run(aJob()), 'The registry returned no digest');
  });

  it.each([
    [
      'ERROR: failed to solve: process "/bin/sh -c make" did not complete successfully: exit code: 7',
      /image build ended with exit code 7/,
    ],
    [
      'ERROR: failed to solve: process "/bin/sh -c /slipway/node /slipway/builder.mjs install /slipway-build" did not complete successfully: exit code: 1',
      /install step ended with exit code 1/,
    ],
    ['ERROR: failed to solve: sample: not found', /The image could not be built/],
    [
      'ERROR: failed to solve: sample: failed to resolve source metadata for docker.io/library/sample:3: failed to copy: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/library/sample/manifests/sha256:0: 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit',
      /^ERROR: Docker Hub hands out no more images to this address for now \(toomanyrequests\)\. Redeploy in some hours, .*public\.ecr\.aws.*\(dockerHubSecret\)$/,
    ],
    [
      'ERROR: failed to solve: registry.example/sample: unexpected status from HEAD request to https://registry.example/v2/sample/manifests/3: 429 Too Many Requests',
      /^ERROR: A registry hands out no more images to this address for now/,
    ],
  ])('that cannot be built says why: %s', async (output, reason) => {
    const builder = await aBuilder();
    const { git } = await builder.repository('app', app);
    await writeFile(join(builder.state, 'build-output'), `secret-of-the-project\n${output}\n`);
    const ended = await builder.run(aJob());
    expectFailed(ended, reason);
    expect(ended.lines).toContain('secret-of-the-project');
    expect(ended.exported.FAILURE_REASON).not.toMatch(/secret|make|sample/);
    expect(ended.exported.COMMIT_SHA).toBe(git('rev-parse', 'HEAD'));
  });
});

describe('the account at Docker Hub', () => {
  const secret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:docker-hub-AbCdEf';
  const withAccount = { DOCKER_HUB_SECRET_ARN: secret };
  const theBuild = async (stored: string | undefined, more: Record<string, string>) => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    if (stored !== undefined) await writeFile(join(builder.state, 'docker-hub'), stored);
    const ended = await builder.run(aJob(), more);
    const seen = join(builder.state, 'build-0');
    return { ended, seen, config: await readFile(join(seen, 'config.json'), 'utf8').catch(() => undefined) };
  };

  it('is known by docker’s client, and by nothing that is given to a build', async () => {
    const { ended, seen, config } = await theBuild(
      JSON.stringify({ username: 'someone', password: 'hub-password' }),
      withAccount,
    );
    expect(ended.exported).toMatchObject({ ARTIFACT_DIGEST: digest });
    const auth = Buffer.from('someone:hub-password').toString('base64');
    expect(JSON.parse(config ?? '')).toEqual({ auths: { 'https://index.docker.io/v1/': { auth } } });
    const given = execFileSync('grep', ['-rlE', `hub-password|${auth}`, seen], { encoding: 'utf8' });
    expect(given.trim()).toBe(join(seen, 'config.json'));
    expect(JSON.stringify([ended.calls, ended.lines])).not.toMatch(/hub-password/);
    expect(JSON.stringify([ended.calls, ended.lines])).not.toContain(auth);
    const asked = ended.calls.find(({ args }) => args[0] === 'secretsmanager');
    expect(asked?.args).toContain(secret);
    // With the role of the machine, so before the build is shut in.
    expect(ended.calls.findIndex(({ args }) => args[0] === 'secretsmanager')).toBeLessThan(
      ended.calls.findIndex(({ tool }) => tool === 'iptables'),
    );
  });

  it('is not asked for where there is none', async () => {
    const { ended, config } = await theBuild(undefined, {});
    expect(ended.calls.some(({ args }) => args[0] === 'secretsmanager')).toBe(false);
    expect(config).toBeUndefined();
  });

  it.each([
    ['has no "username" and "password" in JSON', 'hub-password'],
    ['cannot be read', undefined],
  ])('that %s fails no build, and the log says so', async (why, stored) => {
    const { ended, config } = await theBuild(stored, withAccount);
    expect(ended.exported).toMatchObject({ ARTIFACT_DIGEST: digest });
    expect(config).toBeUndefined();
    expect(ended.lines.join('\n')).toContain(
      `WARNING: The item of Secrets Manager that dockerHubSecret names ${why}`,
    );
    expect(ended.lines.join('\n')).not.toContain('hub-password');
  });
});

describe('a folder', () => {
  const stored = async (status: number) => {
    const bodies: Buffer[] = [];
    const url = await aStore(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      bodies.push(Buffer.concat(chunks));
      response.writeHead(status).end();
    });
    return {
      bodies,
      job: aJob({
        output: 'folder',
        push: undefined,
        artifactKey: 'artifacts/a.tar',
        artifactUploadUrl: `${url}/a?signed`,
      }),
    };
  };

  it('is stored as one compressed tar file, and reported with its size and digest', async () => {
    const builder = await aBuilder();
    const { git } = await builder.repository('app', app);
    const { bodies, job } = await stored(200);
    const { exported, calls } = await builder.run(job);
    const [body = Buffer.alloc(0)] = bodies;
    expect(exported).toEqual({
      ARTIFACT_KEY: 'artifacts/a.tar',
      ARTIFACT_SERVER: 'other',
      ARTIFACT_SHA256: createHash('sha256').update(body).digest('hex'),
      ARTIFACT_SIZE_BYTES: String(body.length),
      COMMIT_SHA: git('rev-parse', 'HEAD'),
    });
    expect(execFileSync('tar', ['-tz'], { input: body }).toString()).toContain('package.json');
    expect(calls.some(({ args }) => args.includes('push'))).toBe(false);
  });

  it('that cannot be stored is not reported', async () => {
    const builder = await aBuilder();
    await builder.repository('app', app);
    const { job } = await stored(403);
    expectFailed(await builder.run(job), 'The built folder could not be stored');
  });
});
