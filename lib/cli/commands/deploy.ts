import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Deployment, Revision } from '../../client/endpoints.ts';
import { origins } from '../../client/revision.ts';
import { withoutTrailing } from '../../contract/trailing.ts';
import { changeDeployment } from '../shell/change.ts';
import { command, type Given } from '../shell/command.ts';
import { Ended, UsageError } from '../shell/ends.ts';
import { finish, timeoutSecondsOf, waitFlags } from '../shell/finish.ts';
import { type Packed, pack } from '../shell/folder-files.ts';
import { findLink, type Link, writeLink } from '../shell/link.ts';
import { findDeployment, nameFrom } from '../shell/names.ts';
import { givenSecrets, type Secret, withSecrets } from '../shell/secrets.ts';
import { causeOf } from '../shell/served.ts';
import type { Shell } from '../shell/shell.ts';

const flags = {
  name: {
    value: 'NAME',
    says: "what it is called (default: the link's name, else that of the folder or repository)",
  },
  ref: { value: 'REF', says: 'of a repository: the branch, or refs/tags/TAG (default: main)' },
  secret: {
    value: 'NAME[=VALUE]',
    multiple: true,
    says: 'a secret; without a value, that of the environment',
  },
  'env-file': { value: 'FILE', says: 'a file of secrets, as .env' },
  yes: { short: 'y', says: 'ask nothing' },
  ...waitFlags,
} as const;
type Flags = Given<typeof flags>;

/** What is to be deployed. */
type Source =
  | { kind: 'folder'; folder: string; root: string | undefined }
  | { kind: 'repository'; url: string };
/** `isOwn`: the name was given or linked, so that the deployment of this name is surely meant. */
type Target = { source: Source; name: string; isOwn: boolean; link: Link | undefined };

export const deploy = command({
  name: 'deploy',
  args: '[FOLDER|REPOSITORY]',
  says: 'Deploy a folder or a repository, and wait until it answers',
  more: [
    'A folder is deployed as it is here, unpushed and uncommitted work included; what git ignores stays here, and so do',
    'files like .env. A repository is deployed as its remote has it, when its address is given, or when the folder is',
    'linked (slipway.json) to a deployment of a repository.',
  ].join('\n'),
  examples: [
    'slipway deploy',
    'slipway deploy apps/agent --name agent --env-file .env',
    'slipway deploy https://github.com/you/agent --ref main --secret OPENAI_API_KEY',
    'slipway deploy --name agent -y --json',
  ],
  flags,
  async run(shell, given, [what]) {
    timeoutSecondsOf(given);
    const secrets = givenSecrets(shell.world, given);
    const target = targetOf(shell, given, what);
    const existing = await findDeployment(shell, target.name);
    const meant = existing === undefined ? target : await meantFor(shell, target, existing, given);
    if (given.ref !== undefined && meant.source.kind === 'folder')
      throw new UsageError('--ref is for a repository; a folder is deployed as it is.');
    const deployment =
      meant.source.kind === 'folder'
        ? await deployFolder(shell, meant.source, { name: target.name, existing, secrets })
        : await deployRepository(shell, meant.source.url, {
            name: target.name,
            existing,
            secrets,
            ref: given.ref,
          });
    linkNew(shell, target, existing);
    await finish(shell, deployment, given);
  },
});

const REPOSITORY = /^(?:(?:https?|ssh|git|file):\/\/|[\w.-]+@[\w.-]+:)/;

function targetOf(shell: Shell, given: Flags, what: string | undefined): Target {
  if (what !== undefined && REPOSITORY.test(what)) {
    const name = given.name ?? nameFrom(lastPart(what));
    return {
      source: { kind: 'repository', url: what },
      name,
      isOwn: given.name !== undefined,
      link: undefined,
    };
  }
  const folder = resolve(shell.world.cwd, what ?? '.');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`There is no folder ${folder}; a repository begins with https://, ssh:// or git@.`);
  // A subfolder that is named is meant itself, though a folder above it is linked.
  const found = findLink(folder);
  const link = what === undefined || found?.folder === folder ? found : undefined;
  const source: Source = { kind: 'folder', folder: link?.folder ?? folder, root: link?.root };
  const name = given.name ?? link?.name ?? nameFrom(basename(folder));
  return { source, name, isOwn: given.name !== undefined || link !== undefined, link };
}

/** What a repository is called: `https://github.com/you/agent.git` is `agent`. */
const lastPart = (url: string): string =>
  withoutTrailing(url, '/')
    .replace(/\.git$/, '')
    .split(/[/:]/)
    .at(-1) ?? '';

/**
 * What a deployment that is there already is given; asks when its source may be another one. Throws where
 * the service would refuse it, or nobody can be asked.
 */
async function meantFor(shell: Shell, target: Target, existing: Deployment, given: Flags): Promise<Target> {
  const { source, name, isOwn, link } = target;
  const from = origins[existing.source];
  const itsUrl = existing.source_config.repo_url;
  if (source.kind === 'folder' && from === 'repository' && itsUrl !== null) {
    if (link?.name === name) {
      shell.output.say(`${name} is deployed from ${itsUrl}: what is not pushed there is no part of it.`);
      return { ...target, source: { kind: 'repository', url: itsUrl } };
    }
    throw otherKind(name, `the repository ${itsUrl}`);
  }
  if (source.kind === 'repository' && from !== 'repository') throw otherKind(name, 'uploads or images');
  if (source.kind === 'folder' && from === 'image') throw otherKind(name, 'images');
  if (source.kind === 'repository' && itsUrl !== null && source.url !== itsUrl)
    await confirmOther(
      shell,
      `${name} is deployed from ${itsUrl}. Deploy ${source.url} to it instead?`,
      given,
    );
  else if (!isOwn && source.kind === 'folder')
    await confirmOther(shell, `${name} is there already. Deploy this to it?`, given);
  return target;
}

const otherKind = (name: string, from: string): Ended =>
  new Ended(
    `${name} is deployed from ${from}, and the kind of a source does not change: give --name for another deployment.`,
  );

async function confirmOther(shell: Shell, question: string, { yes, name }: Flags): Promise<void> {
  if (yes === true && name === undefined && !shell.canAsk)
    throw new UsageError(`${question} Without a terminal, name it beside -y: --name NAME -y.`);
  if (yes === undefined && !shell.canAsk)
    throw new UsageError(`${question} Nobody is there to answer: --name NAME -y says yes.`);
  await shell.confirm(question, yes);
}

type Wish = { name: string; existing: Deployment | undefined; secrets: readonly Secret[] };

async function deployFolder(
  shell: Shell,
  { folder, root }: Source & { kind: 'folder' },
  { name, existing, secrets }: Wish,
): Promise<Deployment> {
  const { client, output, world } = shell;
  const { signal } = world;
  const packed = pack(folder, world.environment);
  if (root !== undefined && statSync(join(folder, root), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Ended(`The root '${root}' of ${join(folder, 'slipway.json')} is no folder.`);
  tellPacked(shell, name, packed);
  const made =
    existing ??
    (await client.ask(
      'POST /v2/deployments',
      { body: { name, source: 'internal_source', source_config: {}, source_revision_config: {} } },
      { signal },
    ));
  const params = { deployment_id: made.id };
  const UPLOAD = 'POST /v2/deployments/{deployment_id}/upload-url';
  const upload = await client.ask(UPLOAD, { params, body: { supports_upload_headers: true } }, { signal });
  output.progress(`${name}: uploading`);
  await put(shell, upload, packed.bytes);
  const body = {
    revision_source: 'internal_source' as const,
    source_revision_config: { source_tarball_path: upload.object_path },
    ...((root ?? '') !== (made.source_config.root_directory ?? '') && {
      source_config: { root_directory: root ?? '' },
    }),
  };
  if (secrets.length === 0)
    return client.ask('PATCH /v2/deployments/{deployment_id}', { params, body }, { signal });
  // An upload takes long enough for somebody to set a secret meanwhile.
  return changeDeployment(shell, made, (now) => ({ ...body, secrets: withSecrets(now, secrets) }));
}

function tellPacked({ output }: Shell, name: string, { files, bytes, left }: Packed): void {
  output.say(`${name}: ${files} ${files === 1 ? 'file' : 'files'}, ${Math.ceil(bytes.length / 1024)} KiB`);
  if (left.length === 0) return;
  const shown = left.slice(0, 5).join(', ') + (left.length > 5 ? ` and ${left.length - 5} more` : '');
  const hint = left.some((path) => /(?:^|\/)\.env/.test(path))
    ? ' (--env-file makes secrets of its lines)'
    : '';
  output.say(`Left out: ${shown}${hint}`, 'yellow');
}

type Upload = { upload_url: string; upload_headers: Record<string, string> };

async function put(
  { world }: Shell,
  { upload_url: url, upload_headers: more }: Upload,
  body: Packed['bytes'],
) {
  const headers = { 'Content-Type': 'application/gzip', ...more };
  const answer = await world
    .fetch(url, { method: 'PUT', headers, body, signal: world.signal, redirect: 'error' })
    .catch((error: unknown) => {
      if (world.signal.aborted) throw error;
      throw new Ended(`The upload to ${new URL(url).origin} did not come through: ${causeOf(error)}`);
    });
  if (answer.ok) return;
  throw new Ended(`The upload was answered with ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
}

async function deployRepository(
  { client, world }: Shell,
  url: string,
  { name, existing, secrets, ref }: Wish & { ref: string | undefined },
): Promise<Deployment> {
  const { signal } = world;
  const source_revision_config = ref === undefined ? {} : { repo_ref: ref };
  if (existing === undefined) {
    const body = {
      name,
      source: 'github' as const,
      source_config: { repo_url: url },
      source_revision_config,
    };
    return client.ask('POST /v2/deployments', { body: { ...body, secrets: [...secrets] } }, { signal });
  }
  const { deployment_id, latest_revision_id } = await client
    .ask(
      'POST /v2/deployments/{deployment_id}/revisions',
      {
        params: { deployment_id: existing.id },
        body: {
          source_config: { repo_url: url },
          source_revision_config,
          ...(secrets.length > 0 && { secrets: withSecrets(existing, secrets) }),
        },
      },
      { signal },
    )
    .then((made: Revision) => ({ deployment_id: made.deployment_id, latest_revision_id: made.id }));
  return { ...existing, id: deployment_id, latest_revision_id };
}

/** The next deploy of the folder asks nothing. Not where nobody would see the new file. */
function linkNew(shell: Shell, { source, name, link }: Target, existing: Deployment | undefined): void {
  if (source.kind !== 'folder' || link !== undefined || existing !== undefined || !shell.canAsk) return;
  shell.output.say(`Linked this folder to ${name}: ${writeLink(source.folder, name)}. Commit it.`);
}
