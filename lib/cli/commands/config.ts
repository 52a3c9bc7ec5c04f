import type { Deployment } from '../../client/endpoints.ts';
import { changeDeployment } from '../shell/change.ts';
import { command } from '../shell/command.ts';
import { fieldsOf } from '../shell/difference.ts';
import { UsageError } from '../shell/ends.ts';
import { finish, waitFlags } from '../shell/finish.ts';
import { deploymentOf } from '../shell/names.ts';
import { nearest } from '../shell/nearest.ts';
import { plain } from '../shell/output.ts';
import { nameAndValue } from '../shell/secrets.ts';

const ofDeployment = {
  deployment: { short: 'd', value: 'D', says: "the deployment (default: the folder's)" },
} as const;

/** Where a request has each field that is not of `source_config`. */
const ofRevision: readonly string[] = ['repo_ref', 'graph_config_path', 'image_uri'];
const ofItself: readonly string[] = ['display_name'];
/** Of `source_config`, and shown elsewhere or made by the service. */
const hidden = new Set(['push_source', 'build_secrets']);
/** A number that is written there is a text. */
const texts = new Set([
  ...ofRevision,
  ...ofItself,
  'repo_url',
  'custom_url',
  'root_directory',
  'install_command',
  'build_command',
  'start_command',
  'dockerfile_path',
  'docker_target',
]);

type Tree = Record<string, unknown>;

function configurationOf({ display_name, source_config, source_revision_config: at }: Deployment): Tree {
  const config = Object.fromEntries(Object.entries(source_config).filter(([name]) => !hidden.has(name)));
  const { repo_ref, graph_config_path, image_uri } = at;
  return { display_name, repo_ref, graph_config_path, image_uri, ...config };
}

const get = command({
  name: 'config get',
  args: '[KEY...]',
  says: 'Print the configuration of a deployment, or some fields of it',
  examples: [
    'slipway config get -d agent',
    'slipway config get resource_spec.memory_mb',
    'slipway config get --json',
  ],
  flags: ofDeployment,
  async run(shell, { deployment: name }, keys) {
    const all = configurationOf(await deploymentOf(shell, name));
    const wanted = keys.map((key) => ({ key, value: valueAt(all, knownPath(all, key)) ?? null }));
    const json = keys.length === 0 ? all : Object.fromEntries(wanted.map(({ key, value }) => [key, value]));
    const fields = Object.entries(fieldsOf(json)).map(([key, value]) => [plain(key), plain(value)] as const);
    const lines =
      keys.length === 1 ? fields.map(([, value]) => value) : fields.map(([key, value]) => `${key}=${value}`);
    shell.output.result(json, lines);
  },
});

const set = command({
  name: 'config set',
  args: 'KEY=VALUE...',
  says: 'Change the configuration of a deployment, and run it with that',
  more: 'A value is JSON or a text; an empty one clears the field. What makes no revision counts at once.',
  examples: [
    'slipway config set -d agent resource_spec.memory_mb=1024 resource_spec.min_scale=2',
    'slipway config set build_on_push=true \'push_paths=["apps/agent/**"]\'',
    "slipway config set 'start_command=python -m server' --no-wait",
  ],
  flags: { ...ofDeployment, ...waitFlags },
  async run(shell, given, assignments) {
    const deployment = await deploymentOf(shell, given.deployment);
    const made = await changeDeployment(shell, deployment, (now) => bodyOf(now, assignments));
    if (made.latest_revision_id !== deployment.latest_revision_id) return finish(shell, made, given);
    const json = { id: made.id, name: made.name, revision_id: null };
    return shell.output.result(json, [`${made.name} is changed; no revision was needed`]);
  },
});

export const config = [get, set];

/** The steps to a field. Throws `UsageError` for one that deployments do not have. */
function knownPath(all: Tree, key: string): string[] {
  const path = key.replace(/^source_(?:revision_)?config\./, '').split('.');
  const [first = ''] = path;
  if (Object.hasOwn(all, first)) return path;
  const near = nearest(first, Object.keys(all));
  const hint = near === undefined ? 'slipway config get --json shows all.' : `Did you mean '${near}'?`;
  throw new UsageError(`Deployments have no field '${first}'. ${hint}`);
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const valueAt = (tree: unknown, path: readonly string[]): unknown =>
  path.reduce(
    (value: unknown, step) => (isTree(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    tree,
  );

/** A tree with another value at the end of a path; undefined removes it. */
function withValue(tree: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  const own = isTree(tree) ? tree : {};
  const { [step]: old, ...others } = own;
  const changed = withValue(old, rest, value);
  return changed === undefined ? others : { ...others, [step]: changed };
}

function typed(field: string, text: string): unknown {
  if (texts.has(field)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** What a PATCH asks for: of a field that has parts, the whole with the others as they are. */
function bodyOf(deployment: Deployment, assignments: readonly string[]): Tree {
  const all = configurationOf(deployment);
  let body: Tree = {};
  for (const assignment of assignments) {
    const [key, text] = nameAndValue(assignment);
    if (text === undefined)
      throw new UsageError(`'${key}' has no value: ${key}=VALUE; an empty one clears it.`);
    const path = knownPath(all, key);
    const [field = '', ...below] = path;
    const where = ofItself.includes(field)
      ? []
      : [ofRevision.includes(field) ? 'source_revision_config' : 'source_config'];
    const before = valueAt(body, [...where, field]) ?? all[field];
    const cleared =
      below.length > 0 ? undefined : field === 'display_name' ? null : isTree(all[field]) ? {} : '';
    const value = text === '' ? cleared : typed(field, text);
    const whole = below.length === 0 ? value : withValue(before, below, value);
    const changed = withValue(body, [...where, field], whole);
    body = isTree(changed) ? changed : body;
  }
  return body;
}
