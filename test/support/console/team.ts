import { join } from 'node:path';
import { gitRepositoryIn, type TestRepository } from '../files/git-repository.ts';
import { newFolder, removeFolder } from '../files/temporary-folder.ts';
import type { Files } from '../files/write-files.ts';
import { type GitHostServer, serveGitHost } from '../programs/git-host-server.ts';
import { helloFiles, packageJson } from '../programs/hello-server.ts';
import {
  create,
  deployed,
  ended,
  expectApi,
  type Program,
  patch,
  type ShownDeployment,
} from '../programs/program.ts';
import { speakingFiles } from '../programs/talking-server.ts';

/** A team with a git host, some agents, and a few days of work: what the console's pictures show. */
export type Team = {
  /** What the program has to trust to read the team's repositories. */
  trust: Record<string, string>;
  /** Deploys the team's agents, one revision after another. */
  deploys: (program: Program) => Promise<Agents>;
  close: () => Promise<void>;
};

export type Agents = Record<'support' | 'invoices', ShownDeployment>;

const TOKEN = 'token-of-the-host';

const people = {
  Mara: 'Mara Keller <mara@harborlabs.example>',
  Priya: 'Priya Shah <priya@harborlabs.example>',
  Tom: 'Tom Brandt <tom@harborlabs.example>',
  Jonas: 'Jonas Weber <jonas@harborlabs.example>',
  Lena: 'Lena Ortiz <lena@harborlabs.example>',
};
type Author = keyof typeof people;
type Push = (message: string, by: Author, files?: Files) => Promise<void>;

const repositories = ['support', 'invoices', 'crm-mcp', 'research', 'onboarding', 'digest'] as const;
type Name = (typeof repositories)[number];

/** Says what a compiler says of a project that does not fit together. */
const COMPILER = String.raw`
console.error("src/extract.ts(41,9): error TS2322: Type 'string' is not assignable to type 'Amount'.");
console.error("src/extract.ts(57,22): error TS2551: Property 'totl' does not exist on type 'Invoice'.");
console.error('Found 2 errors in the same file.');
process.exit(2);
`;

/** What the agent for support is built of, as `part` of speakingFiles. */
function speaking(part: 'agent' | 'tools'): Files {
  const files = speakingFiles();
  return {
    'package.json': files[`${part}/package.json`] ?? '',
    'server.js': files[`${part}/server.js`] ?? '',
  };
}

/** Starts the team's git host. The caller closes it. */
export async function aTeam(): Promise<Team> {
  const folder = await newFolder();
  const sources = new Map<Name, TestRepository>();
  for (const name of repositories) {
    const source = await gitRepositoryIn(await newFolder());
    source.git('init', '--quiet', '--bare', '--initial-branch=main', join(folder, `harbor/${name}.git`));
    source.git('remote', 'add', 'origin', join(folder, `harbor/${name}.git`));
    sources.set(name, source);
  }
  const host = await serveGitHost(folder, {
    token: TOKEN,
    repositories: repositories.map((name) => `harbor/${name}`),
  });
  return {
    trust: { NODE_EXTRA_CA_CERTS: host.certificate, GIT_SSL_CAINFO: host.certificate },
    deploys: (program) => deployAll(program, host, (name) => pushing(sources.get(name))),
    close: async () => {
      await host.close();
      for (const each of [folder, ...[...sources.values()].map((source) => source.folder)])
        await removeFolder(each);
    },
  };
}

/** Commits as somebody, and pushes. */
const pushing =
  (source: TestRepository | undefined): Push =>
  async (message, by, files = {}) => {
    await source?.commit({ ...files, 'changes.txt': message }, message);
    source?.git('commit', '--quiet', '--amend', '--no-edit', `--author=${people[by]}`);
    source?.git('push', '--quiet', 'origin', 'main');
  };

/** The program as each of the team asks it: with a key of their own, called as they are. */
async function keysOf(program: Program): Promise<Record<Author, Program>> {
  const asks = async (name: Author): Promise<Program> => {
    const body = {
      name: people[name].replace(/ <.*/, ''),
      role: name === 'Mara' ? 'admin' : 'developer',
      service_user: true,
    };
    const { key } = await expectApi<{ key: string }>(program, 'POST', '/v2/api-keys', body, 201);
    return { ...program, apiKey: key };
  };
  return {
    Mara: await asks('Mara'),
    Priya: await asks('Priya'),
    Tom: await asks('Tom'),
    Jonas: await asks('Jonas'),
    Lena: await asks('Lena'),
  };
}

async function deployAll(program: Program, host: GitHostServer, push: (name: Name) => Push): Promise<Agents> {
  const integration = { type: 'gitea', host: host.host, name: 'Harbor Git', token: TOKEN };
  const { id } = await expectApi<{ id: string }>(program, 'POST', '/v2/integrations', integration, 201);
  const asWhom = await keysOf(program);
  const first: First = (by, name, repository, config = {}, more = {}) => {
    const url = `https://${host.host}/harbor/${repository}.git`;
    return create(asWhom[by], name, url, {
      source_config: { repo_url: url, integration_id: id, ...config },
      ...more,
    });
  };
  const next: Next = (of, by) => patch(asWhom[by], of.id, { source_revision_config: { repo_ref: 'main' } });
  await others(program, first, push);
  const support = await supportAgent(program, first, next, push('support'));
  const invoices = await invoiceExtractor(program, first, next, push('invoices'));
  await push('research')('Add a citation to every claim', 'Mara', await helloFiles());
  await first('Mara', 'research-assistant', 'research', {
    build_command: 'sleep 86399',
  });
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const key = { name: 'GitHub Actions', role: 'developer', expires_at: soon };
  await expectApi(asWhom.Mara, 'POST', '/v2/api-keys', key, 201);
  return { support, invoices };
}

type First = (
  by: Author,
  name: string,
  repository: Name,
  config?: object,
  more?: object,
) => Promise<ShownDeployment>;
type Next = (of: ShownDeployment, by: Author) => Promise<ShownDeployment>;

/** Agents that have been there for longer. */
async function others(program: Program, first: First, push: (name: Name) => Push): Promise<void> {
  const body = { compute_type: 'process', compute_id: 'frankfurt-2', compute_config: {} };
  const { id } = await expectApi<{ id: string }>(program, 'POST', '/v2/listeners', body, 201);
  await push('digest')('Leave out threads without an answer', 'Jonas', await helloFiles());
  await first('Jonas', 'weekly-digest', 'digest', { listener_id: id });
  await push('onboarding')('First version with the new handbook', 'Tom', await helloFiles());
  await deployed(program, await first('Tom', 'onboarding-guide', 'onboarding'));
  await push('crm-mcp')('Add a tool that merges duplicate contacts', 'Priya', speaking('tools'));
  await deployed(program, await first('Priya', 'crm-tools', 'crm-mcp'));
}

/** Five revisions, of which one was never healthy, and two commits that nobody has deployed. */
async function supportAgent(
  program: Program,
  first: First,
  next: Next,
  push: Push,
): Promise<ShownDeployment> {
  await push('Answer from the order history', 'Jonas', {
    ...speaking('agent'),
    '.env.example': 'OPENAI_API_KEY=\n',
  });
  const secrets = [
    { name: 'OPENAI_API_KEY', value: `sk-${'x'.repeat(48)}` },
    { name: 'ORDERS_TOKEN', value: 'y'.repeat(32) },
  ];
  const made = await deployed(program, await first('Jonas', 'support-agent', 'support', {}, { secrets }));
  await push('Show the delivery window in the answer', 'Priya');
  await deployed(program, await next(made, 'Priya'));
  await push('Read the catalog at start', 'Jonas', { 'package.json': packageJson({ build: 'exit 1' }) });
  const { latest_revision_id: broken } = await next(made, 'Jonas');
  await ended(program, made.id, broken);
  await push('Shorter system prompt', 'Tom', speaking('agent'));
  await deployed(program, await next(made, 'Tom'));
  await push('Retry the order lookup twice before giving up', 'Priya');
  const support = await deployed(program, await next(made, 'Priya'));
  await push('Answer in the language of the customer', 'Tom');
  await push('Name the courier in the answer', 'Lena');
  return support;
}

/** One revision serves, the next one does not compile, and its mend is pushed. */
async function invoiceExtractor(
  program: Program,
  first: First,
  next: Next,
  push: Push,
): Promise<ShownDeployment> {
  const env = '# Reads scanned pages.\nOCR_KEY=\nOCR_REGION=\nOPENAI_API_KEY=\n';
  await push(
    'Read invoices with more than one page',
    'Mara',
    await helloFiles('v1', { '.env.example': env }),
  );
  const made = await deployed(program, await first('Mara', 'invoice-extractor', 'invoices'));
  await push('Tell amounts by their currency', 'Tom', {
    'package.json': packageJson({ build: 'node compile.js' }),
    'compile.js': COMPILER,
  });
  const invoices = await next(made, 'Tom');
  await ended(program, made.id, invoices.latest_revision_id);
  await push('Give amounts a type of their own', 'Tom', { 'package.json': packageJson({}) });
  return invoices;
}
