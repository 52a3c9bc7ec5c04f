import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Deployment } from '../../lib/client/endpoints.ts';
import { ask } from '../data/api.ts';
import { useCan } from '../data/permissions.ts';
import { queryClient } from '../data/poll.ts';
import { chosenFiles, deployFolder, droppedFiles, type Picked } from '../data/upload.ts';
import { Field, Refused } from '../ui/field.tsx';
import { Empty, Problem } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';
import { Trail } from './deployment.tsx';

type Kind = 'git' | 'folder';
const NAME_PATTERN = '[a-z0-9]([a-z0-9_\\-]*[a-z0-9])?';

/** Makes a deployment of a repository or of a folder, and goes to its first revision with its log. */
export function NewDeployment() {
  useTitle('New deployment');
  const canWrite = useCan('deployments:write');
  return (
    <main id="main">
      <Trail />
      <h1>New deployment</h1>
      {canWrite === true && <Form />}
      {canWrite === false && <Empty title="Your role makes no deployments." />}
    </main>
  );
}

/** What the form does when it is sent, how far that is, and what was refused. */
function useDeploy(kind: Kind, picked: Picked[]) {
  const [, go] = useLocation();
  const [step, setStep] = useState<string>();
  const [error, setError] = useState<unknown>();
  const deploy = async (form: FormData) => {
    setError(undefined);
    setStep('Creating…');
    try {
      const made = kind === 'git' ? await fromGit(form) : await fromFolder(form, picked, setStep);
      await queryClient.invalidateQueries();
      go(`/deployments/${made.id}/revisions/${made.latest_revision_id}`);
    } catch (refused) {
      setError(refused);
    } finally {
      setStep(undefined);
    }
  };
  return { step, error, deploy };
}

function Form() {
  const [kind, setKind] = useState<Kind>('git');
  const [picked, setPicked] = useState<Picked[]>([]);
  const { step, error, deploy } = useDeploy(kind, picked);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void deploy(new FormData(event.currentTarget));
      }}
    >
      <Refused.Provider value={error}>
        <Field label="Name" of="name" hint="Lower-case letters, digits, - and _. It stays.">
          <input
            name="name"
            required
            maxLength={63}
            pattern={NAME_PATTERN}
            autocomplete="off"
            spellcheck={false}
          />
        </Field>
        <fieldset class="choice-field">
          <legend>From</legend>
          <label class="check">
            <input type="radio" name="kind" checked={kind === 'git'} onChange={() => setKind('git')} /> A git
            repository
          </label>
          <label class="check">
            <input type="radio" name="kind" checked={kind === 'folder'} onChange={() => setKind('folder')} />{' '}
            A folder
          </label>
        </fieldset>
        {kind === 'git' ? <GitFields /> : <FolderField picked={picked} pick={setPicked} />}
        <details>
          <summary>Commands</summary>
          <Field label="Install command" of="source_config.install_command">
            <input name="install" autocomplete="off" spellcheck={false} />
          </Field>
          <Field label="Build command" of="source_config.build_command">
            <input name="build" autocomplete="off" spellcheck={false} />
          </Field>
        </details>
      </Refused.Provider>
      {error !== undefined && <Problem error={error} />}
      <div class="actions">
        <button
          type="submit"
          class="primary"
          disabled={step !== undefined || (kind === 'folder' && picked.length === 0)}
        >
          {step ?? 'Deploy'}
        </button>
      </div>
    </form>
  );
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

function commandsIn(form: FormData): { install_command?: string; build_command?: string } {
  const [install_command, build_command] = [textOf(form, 'install'), textOf(form, 'build')];
  return { ...(install_command && { install_command }), ...(build_command && { build_command }) };
}

const fromGit = (form: FormData): Promise<Deployment> =>
  ask('POST /v2/deployments', {
    body: {
      name: textOf(form, 'name'),
      source: 'github',
      source_config: { repo_url: textOf(form, 'repo'), ...commandsIn(form) },
      source_revision_config: { repo_ref: textOf(form, 'ref') || 'main' },
    },
  });

/** First the deployment, with nothing to build yet, then what is uploaded for it. */
async function fromFolder(
  form: FormData,
  picked: Picked[],
  onStep: (step: string) => void,
): Promise<Deployment> {
  const made = await ask('POST /v2/deployments', {
    body: {
      name: textOf(form, 'name'),
      source: 'internal_source',
      source_config: commandsIn(form),
      source_revision_config: {},
    },
  });
  return deployFolder(made, picked, onStep);
}

const GitFields = () => (
  <>
    <Field label="Address of the repository" of="source_config.repo_url">
      <input
        name="repo"
        required
        autocomplete="off"
        spellcheck={false}
        placeholder="https://github.com/you/project"
      />
    </Field>
    <Field label="Branch or tag" of="source_revision_config.repo_ref">
      <input name="ref" autocomplete="off" spellcheck={false} placeholder="main" />
    </Field>
  </>
);

function FolderField({ picked, pick }: { picked: Picked[]; pick: (picked: Picked[]) => void }) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer !== null) void droppedFiles(event.dataTransfer.items).then(pick);
      }}
    >
      <p>{picked.length === 0 ? 'Drop a folder here, or choose one.' : `${picked.length} files`}</p>
      <label class="button">
        Choose a folder
        <input
          class="hidden"
          type="file"
          aria-label="Choose a folder"
          ref={(field) => field?.setAttribute('webkitdirectory', '')}
          onChange={({ currentTarget: { files } }) => files !== null && pick(chosenFiles(files))}
        />
      </label>
      <p class="quiet small">Without node_modules, .git and virtual environments.</p>
    </div>
  );
}
