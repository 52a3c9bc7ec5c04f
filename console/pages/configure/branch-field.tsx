import { useId, useState } from 'preact/hooks';
import { useBranches } from '../../data/repositories.ts';
import { wordsOf } from '../../logic/refusal.ts';
import { Choice } from '../../ui/choice.tsx';
import { Problems, useProblems } from '../../ui/field.tsx';
import { gitBranch } from '../../ui/icons.ts';
import { useSettled } from '../../ui/settled.ts';
import { DraftField, type DraftForm } from './parts.tsx';

const TYPED = '…';

/** The branch that is deployed: one of the repository's, or a tag or a commit by its name. */
export function BranchField({ form }: { form: DraftForm }) {
  const { draft, change } = form;
  const repoUrl = useSettled(draft.repo_url.trim());
  const branches = useBranches({ repoUrl, integrationId: draft.integration_id });
  const [isTyped, setTyped] = useState(false);
  const id = useId();
  const found = useProblems('source_revision_config.repo_ref');
  const listed = branches.data?.resources ?? [];
  const value = draft.repo_ref || (branches.data?.default_branch ?? '');
  const isListed = value === '' || listed.some(({ name }) => name === value);
  const problem = branches.error === null ? branches.data?.problem : wordsOf(branches.error);
  if (isTyped || !isListed || listed.length === 0)
    return (
      <DraftField
        form={form}
        name="repo_ref"
        label="Branch or tag"
        placeholder={branches.data?.default_branch ?? 'main'}
        hint={repoUrl !== '' && problem ? problem : 'A tag is written as refs/tags/v1.'}
      />
    );
  return (
    <div class="field">
      <span id={id}>Branch</span>
      <Choice
        label="Branch"
        labelledBy={id}
        icon={gitBranch}
        value={value}
        options={[
          ...listed.map(({ name, commit }) => ({ value: name, title: name, hint: commit.slice(0, 10) })),
          { value: TYPED, title: 'Another branch, or a tag…' },
        ]}
        note={branches.data?.more === true ? 'There are more: type the name of another one.' : undefined}
        onChange={(ref) => (ref === TYPED ? setTyped(true) : change({ repo_ref: ref }))}
      />
      <span class="small">
        {draft.build_on_push === 'true'
          ? 'Each push to it is deployed.'
          : 'Pushes to it wait until somebody deploys them.'}
      </span>
      <Problems found={found} />
    </div>
  );
}
