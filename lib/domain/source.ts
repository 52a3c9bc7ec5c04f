import { type ComputeType, computeKinds } from '../compute/kinds.ts';
import { refuse } from '../contract/errors.ts';
import type { Source } from '../contract/revision-status.ts';

/** The fields that say where code comes from; one revision holds those of one source kind only. */
export type SourceFields = {
  repo_url?: string | undefined;
  build_on_push?: boolean | undefined;
  install_command?: string | undefined;
  build_command?: string | undefined;
  repo_ref?: string | undefined;
  graph_config_path?: string | undefined;
  image_uri?: string | undefined;
  source_tarball_path?: string | undefined;
};

export const DEFAULT_REF = 'main';
export const DEFAULT_CONFIG_PATH = 'langgraph.json';

/** What each kind of source may not carry. */
const foreign: Record<Source, (keyof SourceFields)[]> = {
  github: ['image_uri', 'source_tarball_path'],
  external_docker: [
    'repo_url',
    'repo_ref',
    'graph_config_path',
    'source_tarball_path',
    'install_command',
    'build_command',
  ],
  internal_docker: ['repo_url', 'repo_ref', 'source_tarball_path', 'install_command', 'build_command'],
  internal_source: ['repo_url', 'repo_ref', 'image_uri'],
};

const needs: Partial<Record<Source, keyof SourceFields>> = {
  github: 'repo_url',
  external_docker: 'image_uri',
};

const isSet = (value: unknown): boolean => value !== undefined && value !== '' && value !== false;

/**
 * The kind of a new deployment's source: as said, else inferred from what is there. Refuses what contradicts
 * itself or says nothing.
 */
export function sourceOf(said: Source | undefined, fields: SourceFields): Source {
  if (said !== undefined) return said;
  if (isSet(fields.repo_url) && isSet(fields.image_uri)) {
    throw refuse('source_configuration', {
      reason: "'repo_url' and 'image_uri' are both given; give one, or say 'source'.",
    });
  }
  if (isSet(fields.repo_url)) return 'github';
  if (isSet(fields.image_uri)) return 'external_docker';
  const reason = "nothing says where the code comes from; give 'repo_url', 'image_uri' or 'source'.";
  throw refuse('source_configuration', { reason });
}

/**
 * Refuses fields of another kind in what was asked, and in the merged result a missing field of this kind and
 * pushes to what cannot be pushed to.
 */
export function checkSource(kind: Source, asked: SourceFields, fields: SourceFields): void {
  const other = foreign[kind].find((field) => isSet(asked[field]));
  if (other !== undefined) {
    throw refuse('source_configuration', { reason: `'${other}' does not go with source '${kind}'.` });
  }
  if (isSet(asked.graph_config_path) && isSet(fields.image_uri)) {
    throw refuse('source_configuration', {
      reason: "'graph_config_path' does not go with 'image_uri': an image is run as it is.",
    });
  }
  const needed = needs[kind];
  if (needed !== undefined && !isSet(fields[needed])) {
    throw refuse('source_configuration', { reason: `source '${kind}' needs '${needed}'.` });
  }
  if (fields.build_on_push === true && kind !== 'github') {
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
  if (kind === 'internal_source' && !isSet(fields.source_tarball_path)) {
    return 'Nothing to build yet: no source has been uploaded. Ask for an upload URL, upload a tarball, then patch source_tarball_path.';
  }
  if (kind === 'internal_docker' && !isSet(fields.image_uri)) {
    return 'Nothing to deploy yet: no image has been pushed. Ask for a push token, push an image, then patch image_uri.';
  }
  return undefined;
}

/** Which kinds of source end as an image that must exist already. */
const isImage = (kind: Source): boolean => kind === 'external_docker' || kind === 'internal_docker';

/** Compute that runs folders has them built from source; all other runs images, given or built. */
export const canRun = (computeType: ComputeType, kind: Source): boolean =>
  computeKinds[computeType].runs === 'image' || !isImage(kind);

/** The fields of a revision of this kind, without those of another, with the defaults of this one. */
export function fieldsOfKind(
  kind: Source,
  fields: SourceFields,
): Pick<SourceFields, 'repo_ref' | 'graph_config_path' | 'image_uri' | 'source_tarball_path'> {
  const path = { graph_config_path: fields.graph_config_path ?? DEFAULT_CONFIG_PATH };
  switch (kind) {
    case 'github':
      return { ...path, repo_ref: fields.repo_ref ?? DEFAULT_REF };
    case 'internal_source':
      return { ...path, ...present('source_tarball_path', fields) };
    case 'internal_docker':
      // Before its first image, a tarball may still come: the path is for that.
      return isSet(fields.image_uri) ? present('image_uri', fields) : present('graph_config_path', fields);
    case 'external_docker':
      return present('image_uri', fields);
  }
}

const present = <F extends keyof SourceFields>(
  field: F,
  fields: SourceFields,
): Pick<SourceFields, F> | object => (isSet(fields[field]) ? { [field]: fields[field] } : {});
