import { useEffect, useId, useState } from 'preact/hooks';
import {
  type Installed,
  type SeenRepository,
  useInstalled,
  useRepositories,
} from '../../data/repositories.ts';
import { hostIn } from '../../logic/found.ts';
import { wordsOf } from '../../logic/refusal.ts';
import { Button } from '../../ui/button.tsx';
import { Choice, type Option } from '../../ui/choice.tsx';
import { ChoiceField, Problems, useProblems } from '../../ui/field.tsx';
import { folderGit2 } from '../../ui/icons.ts';
import { DraftField, type DraftForm } from './parts.tsx';

const TYPED = 'typed';
const keyOf = (integrationId: string, url: string): string => `${integrationId} ${url}`;

type Props = {
  form: DraftForm;
  /** Once stored, an integration can be changed and not taken away. */
  isStored: boolean;
};

/** The repository: one that an integration sees, or any by its address. */
export function RepositoryField({ form, isStored }: Props) {
  const { draft, change } = form;
  const { data: installed } = useInstalled();
  const seen = useRepositories(installed);
  const [isTyped, setTyped] = useState(false);
  const repositories = seen.data?.repositories ?? [];
  const chosen = repositories.find(
    (each) => keyOf(each.integration.id, each.url) === keyOf(draft.integration_id, draft.repo_url),
  );
  const isListed = draft.repo_url === '' || chosen !== undefined || seen.isPending;
  if (installed === undefined || installed.length === 0 || isTyped || !isListed)
    return (
      <Address
        form={form}
        installed={installed ?? []}
        isStored={isStored}
        back={installed !== undefined && installed.length > 0 ? () => setTyped(false) : undefined}
      />
    );
  const choose = (key: string) => {
    if (key === TYPED) return setTyped(true);
    const found = repositories.find((each) => keyOf(each.integration.id, each.url) === key);
    if (found !== undefined)
      change({
        integration_id: found.host_integration_id,
        repo_url: found.url,
        repo_ref: found.default_branch ?? '',
        root_directory: '',
        graph_config_path: '',
        // Its host tells of pushes, or they are found by looking every few minutes.
        ...(!isStored && { build_on_push: 'true' }),
      });
  };
  return (
    <Listed
      options={optionsOf(repositories, installed)}
      value={chosen === undefined ? '' : keyOf(chosen.integration.id, chosen.url)}
      choose={choose}
      hint={
        chosen === undefined ? undefined : `From ${chosen.integration.host}, by ${chosen.integration.name}.`
      }
      note={noteOf(seen)}
    />
  );
}

function optionsOf(
  repositories: readonly SeenRepository[],
  installed: readonly Installed[],
): Option<string>[] {
  return [
    ...repositories.map(({ owner, name, url, integration }) => ({
      value: keyOf(integration.id, url),
      title: `${owner}/${name}`,
      hint: installed.length > 1 ? integration.name : undefined,
    })),
    { value: TYPED, title: 'Another one, by its address…' },
  ];
}

/** What is missing in the list, and why. */
function noteOf({ data, error, isPending }: ReturnType<typeof useRepositories>): string | undefined {
  if (isPending) return 'Asking for the repositories…';
  if (error !== null) return wordsOf(error);
  const [failed] = data?.failed ?? [];
  return failed === undefined
    ? undefined
    : `${failed.integration?.name ?? 'An integration'}: ${wordsOf(failed.error)}`;
}

type ListedProps = {
  options: readonly Option<string>[];
  value: string;
  choose: (key: string) => void;
  hint: string | undefined;
  note: string | undefined;
};

function Listed({ options, value, choose, hint, note }: ListedProps) {
  const id = useId();
  const found = useProblems('source_config.repo_url');
  return (
    <div class="field">
      <span id={id}>Repository</span>
      <Choice
        label="Repository"
        labelledBy={id}
        icon={folderGit2}
        value={value}
        options={options}
        onChange={choose}
        note={note}
        placeholder="Choose a repository…"
      />
      {hint !== undefined && <span class="small">{hint}</span>}
      <Problems found={found} />
    </div>
  );
}

type AddressProps = {
  form: DraftForm;
  installed: readonly Installed[];
  isStored: boolean;
  back: (() => void) | undefined;
};

function Address({ form, installed, isStored, back }: AddressProps) {
  const { draft, change } = form;
  const host = hostIn(draft.repo_url);
  const fitting = installed.filter((each) => each.host === host);
  const [isChosen, setChosen] = useState(isStored);
  const guess = fitting.length === 1 ? fitting[0]?.id : undefined;
  // Whose host it is can read it, unless somebody has said otherwise.
  useEffect(() => {
    if (!isChosen) change({ integration_id: guess ?? '' });
  }, [isChosen, guess]);
  const mayBeNone = !isStored || draft.integration_id === '';
  return (
    <>
      <DraftField
        form={form}
        name="repo_url"
        label="Address of the repository"
        placeholder="https://github.com/you/project"
        isRequired
        hint={
          installed.length === 0
            ? 'To choose from a list, or to read a private one, connect its host under Integrations.'
            : undefined
        }
      />
      {installed.length > 0 && (
        <ChoiceField
          label="Read it with"
          of="source_config.integration_id"
          value={draft.integration_id}
          set={(id) => {
            setChosen(true);
            change({ integration_id: id });
          }}
          choices={[
            ...(mayBeNone ? ([['', 'Nothing: it is public']] as const) : []),
            ...installed.map((each) => [each.id, `${each.name} (${each.host})`] as const),
          ]}
        />
      )}
      {back !== undefined && (
        <div class="line">
          <Button
            isSmall
            kind="quiet"
            onClick={() => {
              change({ repo_url: '', integration_id: '', repo_ref: '' });
              back();
            }}
          >
            Choose from a list
          </Button>
        </div>
      )}
    </>
  );
}
