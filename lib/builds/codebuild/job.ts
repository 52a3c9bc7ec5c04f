import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { durableWishes, runtimes } from '../../contract/deployments/runtimes.ts';
import { BuildFailure } from '../failure.ts';
import { ownEnvironment, run } from './run.ts';

const credentials = z.object({
  host: z.string(),
  token: z.string(),
  submodules: z.boolean().default(false),
  user: z.string().optional(),
});

const push = z.object({
  repository: z.string(),
  region: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  sessionToken: z.string(),
});

const variables = z.array(z.object({ name: z.string(), value: z.string() })).default([]);

/** What a build has to do, with addresses and credentials: written by lib/adapters/aws/builds.ts. */
const jobSchema = z.object({
  source: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('git'),
      repoUrl: z.string(),
      ref: z.string(),
      commitSha: z.string().optional(),
      credentials: credentials.optional(),
    }),
    z.object({ kind: z.literal('tarball'), url: z.string(), sha256: z.string() }),
  ]),
  rootDirectory: z.string().optional(),
  configPath: z.string(),
  installCommand: z.string().optional(),
  buildCommand: z.string().optional(),
  startCommand: z.string().optional(),
  durable: z.enum(durableWishes).optional(),
  runtime: z.enum(runtimes).optional(),
  dockerfilePath: z.string().optional(),
  dockerTarget: z.string().optional(),
  buildEnv: variables,
  buildSecrets: variables,
  output: z.enum(['folder', 'image']),
  platforms: z.array(z.string()).min(1).default(['linux/amd64']),
  serverLacks: z.object({ stores: z.array(z.string()), licence: z.boolean(), isAll: z.boolean() }).optional(),
  remark: z.string().optional(),
  artifactKey: z.string().optional(),
  artifactUploadUrl: z.string().optional(),
  push: push.optional(),
});
export type Job = z.infer<typeof jobSchema>;
export type ImagePush = z.infer<typeof push>;

/**
 * Reads what is to be done and removes it where it lay, before anything else. It stays in the memory of this
 * process: a file could get into an image build.
 */
export async function takeJob(work: string): Promise<{ job: Job; buildName: string }> {
  const [tenantId, deploymentId, buildName] = [
    idFrom('SLIPWAY_TENANT_ID'),
    idFrom('SLIPWAY_DEPLOYMENT_ID'),
    idFrom('SLIPWAY_BUILD_NAME'),
  ];
  const key = `builds/${tenantId}/${deploymentId}/${buildName}.json`;
  const place = ['--bucket', variable('JOBS_BUCKET_NAME'), '--key', key];
  const file = join(work, 'job.json');
  const aws = async (args: string[]) =>
    (await run('aws', ['s3api', ...args], { env: ownEnvironment(), output: 'read' })).code === 0;
  if (!(await aws(['get-object', ...place, file])))
    throw new BuildFailure('The description of this build is no longer stored; redeploy to build again');
  const text = await readFile(file, 'utf8');
  await rm(file);
  if (!(await aws(['delete-object', ...place])))
    throw new BuildFailure(
      'The description of this build could not be deleted from its bucket, so nothing was built',
    );
  return { job: parseJob(text), buildName };
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new BuildFailure(`The build was started without the variable ${name}`);
  return value;
}

function idFrom(name: string): string {
  const id = variable(name);
  if (!/^[0-9A-Za-z-]{1,64}$/.test(id))
    throw new BuildFailure(`The variable ${name} of the build is malformed`);
  return id;
}

/** Reads a job's text, which is quoted nowhere: it holds credentials. Throws BuildFailure when it is none. */
export function parseJob(text: string): Job {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new BuildFailure('The description of this build is not valid JSON');
  }
  const parsed = jobSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new BuildFailure(`The description of this build is malformed: ${fields}`);
}
