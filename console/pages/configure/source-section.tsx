import type { ComponentChildren } from 'preact';
import { useBranches, useLook } from '../../data/repositories.ts';
import { isTag } from '../../logic/draft-body.ts';
import type { SourceKind } from '../../logic/save-plan.ts';
import { CheckField } from '../../ui/field.tsx';
import { FormSection } from '../../ui/form-section.tsx';
import { useSettled } from '../../ui/settled.ts';
import { Problem } from '../../ui/states.tsx';
import { BranchField } from './branch-field.tsx';
import { FoundCard } from './found-card.tsx';
import { DraftField, type DraftForm, DraftLines } from './parts.tsx';
import { RepositoryField } from './repository-field.tsx';

/** What a build of the repository would find, as it is filled in. */
export function useFound({ draft }: DraftForm, kind: SourceKind) {
  const repoUrl = useSettled(kind === 'git' ? draft.repo_url.trim() : '');
  const place = { repoUrl, integrationId: draft.integration_id };
  const { data: branches } = useBranches(place);
  const look = useLook({
    ...place,
    ref: useSettled(draft.repo_ref.trim()),
    folder: useSettled(draft.root_directory.trim()),
    configPath: useSettled(draft.graph_config_path.trim()),
  });
  const isOf = draft.repo_url.trim() !== '' && kind === 'git';
  return {
    look: isOf ? look.data : undefined,
    error: isOf ? look.error : null,
    isLooking: isOf && look.isFetching,
    /** The branch that is meant where none is named. */
    defaultBranch: look.data?.ref ?? branches?.default_branch,
  };
}

type Props = {
  form: DraftForm;
  kind: SourceKind;
  found: ReturnType<typeof useFound>;
  missing: number;
  isStored: boolean;
  /** Before the fields: what kind of source it is. */
  children?: ComponentChildren;
  /** In place of the fields of a repository, for a folder. */
  folder: ComponentChildren;
};

/** What is built, and which pushes build it again. */
export function SourceSection({ form, kind, found, missing, isStored, children, folder }: Props) {
  return (
    <FormSection title="Source" about={abouts[kind]}>
      {children}
      {kind === 'git' && <Git {...{ form, found, missing, isStored }} />}
      {kind === 'folder' && folder}
      {kind === 'image' && (
        <DraftField
          form={form}
          name="image_uri"
          label="Image"
          placeholder="ghcr.io/you/agent:1.4"
          isRequired
          hint="Pulled where it runs. A digest (@sha256:…) keeps it the same at every start."
        />
      )}
      {kind !== 'image' && (
        <div class="pair">
          <DraftField
            form={form}
            name="root_directory"
            label="Root directory"
            placeholder="The top folder"
            hint="The folder of the project, in a repository of several."
          />
          <DraftField
            form={form}
            name="graph_config_path"
            label="Configuration file"
            placeholder="langgraph.json"
            hint="Below the root directory. Without one, what the project starts by itself runs."
          />
        </div>
      )}
    </FormSection>
  );
}

const abouts: Record<SourceKind, string> = {
  git: 'What is built, and which pushes build it again.',
  folder: 'What is built: a folder of this machine.',
  image: 'What runs: an image that was built elsewhere.',
};

function Git({ form, found, missing, isStored }: Pick<Props, 'form' | 'found' | 'missing' | 'isStored'>) {
  const { draft, change } = form;
  const { look, error, isLooking } = found;
  return (
    <>
      <div class="pair">
        <div class="fields">
          <RepositoryField form={form} isStored={isStored} />
        </div>
        <BranchField form={form} />
      </div>
      {error !== null && <Problem error={error} />}
      {look === undefined && isLooking && <p class="dim">Looking at the repository…</p>}
      {look !== undefined && (
        <div aria-busy={isLooking}>
          <FoundCard
            look={look}
            missing={missing}
            chooseFolder={(folder) => change({ root_directory: folder, graph_config_path: '' })}
          />
        </div>
      )}
      {isTag(draft.repo_ref) ? (
        <p class="dim">A tag never moves, so no push is deployed.</p>
      ) : (
        <CheckField
          label="Deploy each push to this branch"
          value={draft.build_on_push === 'true'}
          set={(isOn) => change({ build_on_push: isOn ? 'true' : '' })}
        />
      )}
      {draft.build_on_push === 'true' && !isTag(draft.repo_ref) && (
        <DraftLines
          form={form}
          rows={2}
          name="push_paths"
          label="Only pushes that touch"
          placeholder={'apps/reader/**\npyproject.toml'}
          hint="One path or pattern a line, from the top of the repository. Empty: every push is deployed."
        />
      )}
    </>
  );
}
