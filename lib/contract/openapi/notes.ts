import { CONFIGURATION_SIZE_BYTES_MAX } from '../../features/deployments/shape.ts';
import { COMPUTE_CONFIG_SIZE_BYTES_MAX } from '../../features/listeners/shape.ts';
import { METADATA_NAMES_MAX } from '../../features/oauth-tokens/shape.ts';
import { sourceConfigNotes } from '../deployments/fields.ts';
import { SECRETS_SIZE_BYTES_MAX } from '../deployments/secrets.ts';
import { DEFAULT_POD_SECURITY } from '../pod-security.ts';
import type { Note } from '../schema-note.ts';
import { JSON_DEPTH_MAX, TEXT_LENGTH_MAX } from '../validation/json.ts';

/**
 * What schemas do not say of themselves, for readers of the description only: functions carry no such words.
 * Rules that stand in code elsewhere (numbers of a resource_spec, texts) are repeated here as bounds and
 * patterns; tests hold them to that code.
 */

const memory = { minimum: 128, multipleOf: 128 };
const cpu = { minimum: 0.1, description: 'Processors, in thousandths: no more than three decimal places.' };
const atLeastOne = { minimum: 1 };

const both = (request: string, limit: string, note: Note): Record<string, Note> => ({
  [request]: note,
  [limit]: { ...note, description: `At least \`${request}\`; twice as much by default.` },
});

const groups = ['', 'queue_', 'redis_', 'core_', 'db_'];
const resourceSpec: Record<string, Note> = {
  ...Object.fromEntries(
    groups.flatMap((group) => [
      ...Object.entries(both(`${group}cpu`, `${group}cpu_limit`, cpu)),
      ...Object.entries(both(`${group}memory_mb`, `${group}memory_limit_mb`, memory)),
    ]),
  ),
  min_scale: { minimum: 0 },
  max_scale: { ...atLeastOne, description: 'At least `min_scale`.' },
  queue_min_scale: { minimum: 0 },
  queue_max_scale: { ...atLeastOne, description: 'At least `queue_min_scale`.' },
  redis_memory_limit_mb: { ...memory, description: 'At least `redis_memory_mb`, which is the default.' },
  db_storage_gi: atLeastOne,
  db_max_connections: atLeastOne,
  volumes: { description: 'Each has at least a name or a source.' },
  annotations: {
    description: `${JSON_DEPTH_MAX} levels deep at most, and as long as the whole configuration may be; keys have at most ${TEXT_LENGTH_MAX} characters.`,
  },
};

const configPath = {
  pattern: '^(?!/|~)(?!(?:.*/)?\\.\\.(?:/|$))[^\\\\\\u0000-\\u001f\\u007f-\\u009f]+$',
  description:
    'Relative to the root of the source, never out of it. `langgraph.json`, the default, may be missing: then the start script or the Procfile says what runs. A file at any other path must exist. Not for images.',
};
const secretName = {
  pattern: '^[^=\\u0000\\r\\n]+$',
  description: 'Names that the platform sets itself are refused.',
};

const revisionFields: Record<string, Note> = {
  repo_ref: { description: 'A branch, `refs/tags/<tag>` or a commit; `main` by default.' },
  graph_config_path: configPath,
  langgraph_config_path: { ...configPath, description: 'The same under the name that older clients use.' },
  image_uri: { description: 'A container image. Chooses source `external_docker`.' },
  source_tarball_path: { description: 'The `object_path` that upload-url gave.' },
};

const webAddress = { pattern: '^https?://[^\\s#]+$' };
const providerFields: Record<string, Note> = {
  auth_url: { ...webAddress, description: 'Where people consent.' },
  token_url: { ...webAddress, description: 'Where codes and refresh tokens are exchanged.' },
  mcp_server_url: webAddress,
  client_secret: { description: 'Write-only. Without one this side is a public client.' },
  uses_pkce: { description: 'True by default; false only with a client secret.' },
  code_challenge_method: { description: 'There is no other.' },
  token_endpoint_auth_method: { description: '`client_secret_post` by default.' },
  authorization_params: {
    description: 'Added to each authorization request, at most 32; never the protocol’s own parameters.',
  },
  allowed_redirect_uris: {
    description: 'The first counts unless a request names another. By default our own callback.',
  },
  user_binding: {
    description: '`strict`: the user who requested the consent confirms it with a code from its last page.',
  },
};

const kibibytes = (sizeBytes: number): string => `${sizeBytes / 1024} KiB`;
const secretsSize = `At most ${kibibytes(SECRETS_SIZE_BYTES_MAX)} in all.`;
const computeConfig: Record<string, Note> = {
  compute_config: {
    description: `\`pod_security\` is \`${DEFAULT_POD_SECURITY}\` for a new listener in a cluster, and stays unless it is given. Fields beside these are kept as they are. At most ${kibibytes(COMPUTE_CONFIG_SIZE_BYTES_MAX)} as JSON, and ${JSON_DEPTH_MAX} levels deep.`,
  },
};
const tokenMetadata: Note = {
  description: `At most ${METADATA_NAMES_MAX} names, ${JSON_DEPTH_MAX} levels deep, with keys and texts of at most ${TEXT_LENGTH_MAX} characters.`,
};

/** What is known of a whole component. */
const configurationSize = `\`source_config\`, \`source_revision_config\`, \`secret_references\`, \`agent\` and \`tracked_packages\` have at most ${kibibytes(CONFIGURATION_SIZE_BYTES_MAX)} in all, as JSON.`;
const components: Record<string, string> = {
  CreateDeploymentRequest: configurationSize,
  ChangeDeploymentRequest: configurationSize,
};

const fields: Record<string, Record<string, Note>> = {
  ResourceSpec: resourceSpec,
  SourceConfigRequest: sourceConfigNotes,
  SourceRevisionConfigRequest: revisionFields,
  CreateDeploymentRequest: {
    name: { description: 'Unique in the tenant, and never changed. May be left out when `agent` is given.' },
    display_name: { description: 'What people are shown beside the name.' },
    source: { description: 'Found by what is given when left out.' },
    secrets: { description: `Environment of the running server, write-only. ${secretsSize}` },
  },
  ChangeDeploymentRequest: {
    name: { description: 'Cannot be changed; another one is refused.' },
    display_name: { description: 'What people are shown beside the name; null clears it.' },
    revision_source: { description: 'Where this one revision comes from.' },
    secrets: {
      description: `Replaces the list; \`[]\`, or left out, keeps it. The mask keeps a value. ${secretsSize}`,
    },
    clear_secrets: { description: '`true` removes all secrets; not beside a list of `secrets`.' },
  },
  ClaimTasksRequest: {
    max: { description: 'So many tasks the instance may have in hand; 1 by default.' },
    holding: { description: 'Tasks that it is at work on; none by default.' },
    wait_seconds: { description: 'How long the answer may be held back; 0 by default.' },
  },
  LogLine: { level: { description: '`INFO` by default.' } },
  PatchWebhookRequest: {
    event_types: { description: 'Null: all of them. Left out, what there is stays.' },
    deployment_ids: { description: 'Null: all of them. Left out, what there is stays.' },
    url: { description: 'Another one is asked for with its whole text; what a GET shows changes nothing.' },
    format: { description: 'An address that was masked for Slack stays masked in another format.' },
  },
  CreateListenerRequest: computeConfig,
  PatchListenerRequest: computeConfig,
  ImportTokenRequest: { metadata: tokenMetadata },
  ChangeTokenMetadataRequest: { metadata: tokenMetadata },
  SecretRequest: { name: secretName, value: { pattern: '^[^\\u0000]*$' } },
  SecretReferenceRequest: { name: secretName },
  CreateProviderRequest: providerFields,
  PatchProviderRequest: providerFields,
  DiscoverProviderRequest: { mcp_server_url: webAddress },
  Deployment: {
    secrets: { description: 'Names; values are always masked.' },
    latest_revision_id: { description: 'The newest revision, whatever its status.' },
    active_revision_id: { description: 'The revision that serves.' },
    active_configuration: {
      description:
        'Whether what serves runs another configuration than the deployment has, as after a rollback, and the fields that differ. Null while nothing serves.',
    },
    image_version: { description: 'Tag or short digest of what the active revision runs.' },
  },
  CompleteTaskRequest: { url: { pattern: '^https?://[^\\s]+$' } },
  Revision: {
    status_message: { description: 'Why it is where it is, and what helps.' },
    queue_position: { description: '1 is next; null unless QUEUED.' },
    remote_reconciled: { description: 'The listener reports that exactly this revision runs.' },
  },
  Listener: {
    warnings: { description: 'What an operator should change, in sentences; usually there are none.' },
    version: {
      description:
        'The platforms that the listener program reported when it last polled; until then, the registered ones.',
    },
  },
  LogPage: {
    next_offset: { description: 'Give it as `offset` to go on; always there in order `asc`.' },
  },
  ValidationError: {
    loc: { description: 'Where: `body`, `query`, `path` or `header`, and the way to the value.' },
    type: { description: 'In the vocabulary of pydantic.' },
    input: { description: 'What was sent; never a secret.' },
  },
};

type Described = { properties?: unknown; [keyword: string]: unknown };

/**
 * The component with what is known of its fields beyond its schema. Throws when a note names a field that is
 * not there.
 */
export function applyNotes(component: string, schema: Described): Described {
  const notes = fields[component];
  const description = components[component];
  if (notes === undefined) return schema;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every component with notes is the schema of an object
  const properties = { ...(schema.properties as Record<string, object>) };
  for (const [field, note] of Object.entries(notes)) {
    const property = properties[field];
    if (property === undefined) throw new Error(`a note on ${component}.${field}, which does not exist`);
    properties[field] = { ...property, ...note };
  }
  return { ...schema, ...(description !== undefined && { description }), properties };
}

const whoseTokens: Note = {
  description: '`provider_id` or `id` of the OAuth provider whose tokens are meant.',
};

/** What parameters mean: of every route by name, of one as `operation.name`; their schemas say the rest. */
const parameterNotes: Record<string, Note> = {
  file: { description: 'Its name.' },
  provider_id: { description: '`provider_id` or `id` of an OAuth provider in the organization.' },
  'listTokens.provider_id': whoseTokens,
  'deleteTokens.provider_id': whoseTokens,
  'tokenExists.provider_id': whoseTokens,
  agent_id: { description: 'The agent, by any name that the caller gives it.' },
  nonce: { description: 'As `url` of authenticate has it.' },
  auth_id: { description: 'What authenticate gave.' },
  timeout: { description: 'So many seconds at most; 480 are the most there are.' },
  limit: { description: 'So many at most.' },
  offset: { description: 'Where to go on: what the page before gave.' },
  name: { description: 'The exact name.' },
  name_contains: { description: 'Part of the name; a deployment of exactly this name comes first.' },
  status: { description: 'One or more, separated by commas.' },
  deployment_ids: { description: 'Ids, separated by commas.' },
  'redeployRevision.secrets': {
    description: '`current`: with the secrets of today instead of those that the revision had.',
  },
  'queryRevisionLogs.type': { description: 'Of the build, or of the deploy and the running server.' },
  'queryDeploymentLogs.type': {
    description: 'Of the builds, or (the default) of the deploys and the running servers.',
  },
  'listEvents.deployment_id': {
    description: 'Only events of this deployment, also of one that was deleted.',
  },
  order: { description: '`asc`: oldest first.' },
  level: { description: 'Only lines of this level or a higher one, in any case.' },
  query: { description: 'Only lines that contain this.' },
  start_time: { description: 'Lines from this time on, inclusive.' },
  end_time: { description: 'Lines up to this time, inclusive.' },
};

/** What is known of a parameter beyond its schema. */
export const parameterNote = (operation: string, name: string): Note =>
  parameterNotes[`${operation}.${name}`] ?? parameterNotes[name] ?? {};
