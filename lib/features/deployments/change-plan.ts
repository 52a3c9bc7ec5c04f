import { buildFields, type RunField, runFields } from '../../contract/deployments/fields.ts';
import type { Source } from '../../contract/revision-status.ts';
import type { Deployment } from '../../core/items/items.ts';
import { fieldsOfKind, kindAfter, type SourceFields } from '../../domain/source.ts';
import type { ChangeDeploymentBody } from './shape.ts';

const SOURCE_FIELDS = ['repo_ref', 'graph_config_path', 'image_uri', 'source_tarball_path'] as const;

/** What a request asks of a deployment: of which kind its source becomes, and whether a revision is made. */
export type ChangePlan = {
  kind: Source;
  namesSource: boolean;
  /** Make a revision if anything changes, or in any case. */
  revises: boolean;
  always: boolean;
};

/** Tells what a request asks of the deployment as it is stored. */
export function planOf(before: Deployment, body: ChangeDeploymentBody, always: boolean): ChangePlan {
  const config = body.source_config ?? {};
  const source: SourceFields = body.source_revision_config ?? {};
  const namesField =
    SOURCE_FIELDS.some((field) => source[field] !== undefined) ||
    buildFields.some((field) => isAsked(config[field], before.config[field]));
  const kind = kindAfter(before, body.revision_source, { ...config, ...source });
  return {
    kind,
    // Naming the kind alone names no source, unless it is another one: there is nothing to take over then.
    namesSource: namesField || kind !== before.revision_source,
    revises: always || namesField || asksForMore(before, body),
    always: always || namesField,
  };
}

/** An empty list where there is none asks for nothing. */
const isAsked = (asked: unknown, current: unknown): boolean =>
  asked !== undefined && !(Array.isArray(asked) && asked.length === 0 && current === undefined);

/**
 * Whether a request names what a revision runs beside its source. An empty list where there is none says
 * nothing.
 */
function asksForMore(
  before: Deployment,
  { secrets, secret_references, source_config }: ChangeDeploymentBody,
) {
  const names = (asked: unknown[] | undefined, current: unknown[]) =>
    asked !== undefined && asked.length + current.length > 0;
  return (
    names(secrets, before.secret_names) ||
    names(secret_references, before.secret_references) ||
    runFields.some((field) => isAsked(source_config?.[field], before.config[field]))
  );
}

/** Whether any of the fields belongs to the source. */
export const isOfSource = (fields: Partial<Record<keyof SourceFields | RunField, unknown>>): boolean =>
  fields.build_on_push !== undefined ||
  SOURCE_FIELDS.some((field) => fields[field] !== undefined) ||
  buildFields.some((field) => fields[field] !== undefined);

/**
 * The source after a request. A revision of another kind keeps only the path of the configuration, if its
 * kind has one; the commit is always found anew.
 */
export function sourceAfter(
  before: Deployment,
  body: ChangeDeploymentBody,
  kind: Source,
): Pick<Deployment, 'revision_source' | 'revision_config'> {
  const { revision_config: current, revision_source: currentKind } = before;
  const kept = kind === currentKind ? current : { graph_config_path: current.graph_config_path };
  return {
    revision_source: kind,
    revision_config: fieldsOfKind(kind, { ...kept, ...body.source_revision_config }),
  };
}
