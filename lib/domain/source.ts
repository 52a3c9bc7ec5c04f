import { type ComputeType, computeKinds } from '../compute/kinds.ts';
import { refuse } from '../contract/errors.ts';
import { type AgentServer, type Source, sources } from '../contract/revision-status.ts';

/** The fields that say where code comes from; one revision holds those of one source kind only. */
export type SourceFields = {
  repo_url?: string | undefined;
  build_on_push?: boolean | undefined;
  install_command?: string | undefined;
  build_command?: string | undefined;
  root_directory?: string | undefined;
  dockerfile_path?: string | undefined;
  docker_target?: string | undefined;
  build_env?: readonly unknown[] | undefined;
  build_secrets?: object | undefined;
  repo_ref?: string | undefined;
  graph_config_path?: string | undefined;
  image_uri?: string | undefined;
  source_tarball_path?: string | undefined;
};

export const DEFAULT_REF = 'main';
export const DEFAULT_CONFIG_PATH = 'langgraph.json';

type RevisionFields = Pick<
  SourceFields,
  'repo_ref' | 'graph_config_path' | 'image_uri' | 'source_tarball_path'
>;

/** What is true of all sources of a kind. Code asks the row, never which kind it is. */
export type SourceKind = {
  /**
   * The field that says where the code is. It decides what a build fetches: a commit of a repository, an
   * uploaded tarball, or nothing, for an image that is there.
   */
  needs: 'repo_url' | 'image_uri' | 'source_tarball_path';
  /** Which kinds a revision of such a deployment may be of. */
  revisions: readonly Source[];
  /** Commits are pushed to it: they are built where that is asked for. */
  isWatched?: true;
  /** Its images are pushed to the installation's own registry, with a push token. */
  isPushedHere?: true;
  /** What its images run, where that is known of all of them. */
  server?: AgentServer;
};

export const sourceKinds: { readonly [K in Source]: SourceKind } = {
  github: { needs: 'repo_url', revisions: ['github'], isWatched: true },
  external_docker: { needs: 'image_uri', revisions: ['external_docker'] },
  internal_docker: {
    needs: 'image_uri',
    revisions: ['internal_docker', 'internal_source'],
    isPushedHere: true,
    // The tool that pushes to us builds images of agent projects.
    server: 'langgraph',
  },
  internal_source: { needs: 'source_tarball_path', revisions: ['internal_source'] },
};

/** What a request may say of a source of a kind. Apart from the rest, which more functions need. */
type SourceRules = {
  /** What a deployment is told that waits for the field it needs. Absent: without it there is no deployment. */
  whileAbsent?: string;
  /** A request that gives the field it needs, and no kind, means this one. */
  isInferred?: true;
  /** Fields that do not go with it. */
  refuses: readonly (keyof SourceFields)[];
  /** The fields of a revision of this kind, with its defaults and without those of another kind. */
  keeps: (fields: SourceFields) => RevisionFields;
};

/** They mean nothing to an image that is there. */
const ofBuilds = [
  'install_command',
  'build_command',
  'root_directory',
  'dockerfile_path',
  'docker_target',
  'build_env',
  'build_secrets',
] as const;

const sourceRules: { readonly [K in Source]: SourceRules } = {
  github: {
    isInferred: true,
    refuses: ['image_uri', 'source_tarball_path'],
    keeps: (fields) => ({ ...pathIn(fields), repo_ref: fields.repo_ref ?? DEFAULT_REF }),
  },
  external_docker: {
    isInferred: true,
    refuses: ['repo_url', 'repo_ref', 'graph_config_path', 'source_tarball_path', ...ofBuilds],
    keeps: (fields) => present('image_uri', fields),
  },
  internal_docker: {
    whileAbsent:
      'Nothing to deploy yet: no image has been pushed. Ask for a push token, push an image, then patch image_uri.',
    refuses: ['repo_url', 'repo_ref', 'source_tarball_path', ...ofBuilds],
    // Before its first image, a tarball may still come: the path is for that.
    keeps: (fields) => present(isSet(fields.image_uri) ? 'image_uri' : 'graph_config_path', fields),
  },
  internal_source: {
    whileAbsent:
      'Nothing to build yet: no source has been uploaded. Ask for an upload URL, upload a tarball, then patch source_tarball_path.',
    refuses: ['repo_url', 'repo_ref', 'image_uri'],
    keeps: (fields) => ({ ...pathIn(fields), ...present('source_tarball_path', fields) }),
  },
};

function isSet(value: unknown): boolean {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return value !== undefined && value !== '' && value !== false && !isEmpty;
}

function pathIn(fields: SourceFields): Pick<SourceFields, 'graph_config_path'> {
  return { graph_config_path: fields.graph_config_path ?? DEFAULT_CONFIG_PATH };
}

function present<F extends keyof SourceFields>(
  field: F,
  fields: SourceFields,
): Pick<SourceFields, F> | object {
  return isSet(fields[field]) ? { [field]: fields[field] } : {};
}

/** An upload is of one kind alone, whoever names it. */
const ofUploads: Source = 'internal_source';

/** Whether a deployment's revisions may come from tarballs that are uploaded to it. */
export const takesUploads = (kind: Source): boolean => sourceKinds[kind].revisions.includes(ofUploads);

/**
 * The kind of a new deployment's source: as said, else inferred from what is there. Refuses what contradicts
 * itself or says nothing.
 */
export function sourceOf(said: Source | undefined, fields: SourceFields): Source {
  if (said !== undefined) return said;
  const inferable = sources.filter((kind) => sourceRules[kind].isInferred);
  const [kind, other] = inferable.filter((each) => isSet(fields[sourceKinds[each].needs]));
  const named = (each: Source): string => `'${sourceKinds[each].needs}'`;
  if (kind !== undefined && other !== undefined) {
    throw refuse('source_configuration', {
      reason: `${named(kind)} and ${named(other)} are both given; give one, or say 'source'.`,
    });
  }
  if (kind !== undefined) return kind;
  const reason = `nothing says where the code comes from; give ${inferable.map(named).join(', ')} or 'source'.`;
  throw refuse('source_configuration', { reason });
}

/**
 * The kind of the revision that a change of a deployment asks for: as said, else that of what it names, else
 * the one before. Whether such a deployment may have one is not asked here.
 */
export function kindAfter(
  { source, revision_source: before }: { source: Source; revision_source: Source },
  said: Source | undefined,
  named: SourceFields,
): Source {
  const isNamed = (kind: Source): boolean => named[sourceKinds[kind].needs] !== undefined;
  if (said !== undefined) return said;
  return isNamed(ofUploads) ? ofUploads : (sourceKinds[source].revisions.find(isNamed) ?? before);
}

/**
 * Refuses fields of another kind in what was asked, and in the merged result a missing field of this kind and
 * pushes to what cannot be pushed to.
 */
export function checkSource(kind: Source, asked: SourceFields, fields: SourceFields): void {
  const { needs, isWatched } = sourceKinds[kind];
  const { refuses, whileAbsent } = sourceRules[kind];
  const other = refuses.find((field) => isSet(asked[field]));
  if (other !== undefined) {
    throw refuse('source_configuration', { reason: `'${other}' does not go with source '${kind}'.` });
  }
  if (isSet(asked.graph_config_path) && isSet(fields.image_uri)) {
    throw refuse('source_configuration', {
      reason: "'graph_config_path' does not go with 'image_uri': an image is run as it is.",
    });
  }
  if (whileAbsent === undefined && !isSet(fields[needs])) {
    throw refuse('source_configuration', { reason: `source '${kind}' needs '${needs}'.` });
  }
  if (fields.build_on_push === true && !isWatched) {
    throw refuse('source_configuration', { reason: `'build_on_push' does not go with source '${kind}'.` });
  }
  const namesPushes = isSet(asked.build_on_push) || isSet(asked.repo_ref);
  if (namesPushes && fields.build_on_push === true && fields.repo_ref?.startsWith('refs/tags/')) {
    throw refuse('source_configuration', {
      reason: `'build_on_push' needs a branch, but 'repo_ref' is the tag '${fields.repo_ref}'.`,
    });
  }
}

/** Why there is nothing to build or deploy yet; undefined when there is. */
export function nothingToBuild(kind: Source, fields: SourceFields): string | undefined {
  return isSet(fields[sourceKinds[kind].needs]) ? undefined : sourceRules[kind].whileAbsent;
}

/** Compute that runs folders has them built from source; all other runs images, given or built. */
export const canRun = (computeType: ComputeType, kind: Source): boolean =>
  computeKinds[computeType].runs === 'image' || sourceKinds[kind].needs !== 'image_uri';

/** The fields of a revision of this kind, without those of another, with the defaults of this one. */
export const fieldsOfKind = (kind: Source, fields: SourceFields): RevisionFields =>
  sourceRules[kind].keeps(fields);
