import { useState } from 'preact/hooks';
import { Refusal } from '../../lib/client/refusal.ts';
import { isReservedSecret } from '../../lib/reserved-names.ts';
import { emptyDraft } from '../logic/draft.ts';
import { buildsImages } from '../logic/placement.ts';
import { planOfNew, type SourceKind } from '../logic/save-plan.ts';
import { missingOf, type SecretEdit } from '../logic/secrets.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Refused } from '../ui/field.tsx';
import { FolderField } from '../ui/folder-field.tsx';
import { FormBar, FormSection } from '../ui/form-section.tsx';
import { Icon } from '../ui/icon.tsx';
import { chevronRight, rocket, triangleAlert } from '../ui/icons.ts';
import { Page } from '../ui/page.tsx';
import { Problem } from '../ui/states.tsx';
import { Segmented } from '../ui/tabs.tsx';
import { BuildSection } from './configure/build-section.tsx';
import { NameSection } from './configure/name-section.tsx';
import { useDraftForm } from './configure/parts.tsx';
import { PlaceSection } from './configure/place-section.tsx';
import { ResourcesSection } from './configure/resources-section.tsx';
import { RuntimeSection, StartSection } from './configure/runtime-section.tsx';
import { type Asked, SecretList } from './configure/secret-list.tsx';
import { SourceSection, useFound } from './configure/source-section.tsx';
import { blockerOf, type Folder, useCreate, useName, usePlacement, useSecrets } from './configure/use-new.ts';

/** Makes a deployment of a repository, a folder or an image, and goes to its first revision. */
export const NewDeployment = () => (
  <Page
    title="New deployment"
    above={{ title: 'Deployments', path: '/deployments' }}
    head={{
      under: (
        <p class="dim">
          From a repository to an address that answers. Nothing is built before you press the button below.
        </p>
      ),
    }}
    permissions={['deployments:write']}
  >
    <Form />
  </Page>
);

/** All that the form holds, and what follows from it. */
function useNewForm() {
  const [kind, setKind] = useState<SourceKind>('git');
  const form = useDraftForm(emptyDraft);
  const [folder, setFolder] = useState<Folder>({ picked: [], name: '' });
  const [buildSecrets, setBuildSecrets] = useState<SecretEdit[]>([]);
  const found = useFound(form, kind);
  const secrets = useSecrets(kind, found.look?.secrets_asked, folder, form.draft.root_directory);
  const name = useName(form, kind, folder);
  const placement = usePlacement(form, kind, name.name);
  return {
    ...{
      kind,
      setKind,
      form,
      folder,
      setFolder,
      buildSecrets,
      setBuildSecrets,
      found,
      secrets,
      name,
      placement,
    },
    missing: missingOf(secrets.asked, secrets.edits),
    blocker: blockerOf(form, kind, folder, name, placement.listeners),
  };
}

type NewForm = ReturnType<typeof useNewForm>;

function Form() {
  const all = useNewForm();
  const { step, error, send } = useCreate();
  const { kind, form, folder, buildSecrets, found, secrets, name, blocker } = all;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (blocker !== undefined || step !== undefined) return;
        const repo_ref = form.draft.repo_ref || (found.defaultBranch ?? '');
        void send({
          kind,
          name: name.name,
          draft: { ...form.draft, repo_ref },
          secrets: secrets.edits,
          buildSecrets,
          picked: folder.picked,
        });
      }}
    >
      <Refused.Provider value={error}>
        <Sections {...all} error={error} />
      </Refused.Provider>
      {error !== undefined && <Problem error={error} />}
      <Bar {...all} step={step} />
    </form>
  );
}

function Sections({ error, ...all }: NewForm & { error: unknown }) {
  const { kind, setKind, form, folder, setFolder, found, secrets, name, placement, missing } = all;
  return (
    <>
      <SourceSection
        form={form}
        kind={kind}
        found={found}
        missing={missing.length}
        isStored={false}
        folder={
          <FolderField
            picked={folder.picked}
            pick={(picked, called) => setFolder({ picked, name: called })}
          />
        }
      >
        <Segmented label="Kind of source" value={kind} onChange={setKind} options={kinds} />
      </SourceSection>
      <NameSection form={form} {...name} address={placement.address} />
      <SecretsSection {...secrets} missing={missing} />
      <StartSection form={form} />
      <More {...all} error={error} />
    </>
  );
}

const kinds = [
  { value: 'git', title: 'Repository' },
  { value: 'folder', title: 'Folder' },
  { value: 'image', title: 'Image' },
] as const;

type SecretsProps = NewForm['secrets'] & { missing: readonly Asked[] };

const SecretsSection = ({ edits, setEdits, asked, missing }: SecretsProps) => (
  <FormSection
    title="Secrets"
    about="Paste an .env file or add lines. Values are encrypted and never shown again."
  >
    <SecretList
      edits={edits}
      set={setEdits}
      of="secrets"
      noun="secret"
      asked={asked}
      isReserved={isReservedSecret}
    />
    {missing[0] !== undefined && (
      <p class="meta">
        Without {missing.length === 1 ? missing[0].name : 'them'} the server may not start. You can still
        create the deployment.
      </p>
    )}
  </FormSection>
);

/** What few deployments need, folded away; a refusal of something in it opens it. */
function More({ error, ...all }: NewForm & { error: unknown }) {
  const { kind, form, buildSecrets, setBuildSecrets, placement } = all;
  const [isOpen, setOpen] = useState(false);
  const isRefused = error instanceof Refusal && error.fields.length > 0;
  return (
    <details
      class="more-sections"
      open={isOpen || isRefused}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <Icon of={chevronRight} />
        <span>
          <strong>More settings</strong>{' '}
          <span class="dim">
            Build, agent server, resources, and where it runs. Only where it runs is fixed from then on.
          </span>
        </span>
      </summary>
      <BuildSection
        form={form}
        kind={kind}
        secrets={buildSecrets}
        setSecrets={setBuildSecrets}
        buildsImages={placement.listener && buildsImages(placement.listener)}
      />
      <RuntimeSection form={form} />
      <ResourcesSection form={form} listener={placement.listener} />
      <PlaceSection
        form={form}
        kind={kind}
        listeners={placement.listeners}
        listener={placement.listener}
        isStored={false}
        hasDrain={false}
      />
    </details>
  );
}

function Bar({
  kind,
  form,
  folder,
  found,
  placement,
  missing,
  blocker,
  step,
}: NewForm & { step: string | undefined }) {
  const plan = planOfNew({
    kind,
    draft: form.draft,
    commit: found.look?.commit,
    defaultBranch: found.defaultBranch,
    fileCount: folder.picked.length,
    place: placement.listener?.compute_id,
  });
  const warning = blocker ?? missingText(missing.length);
  return (
    <FormBar
      says={
        <>
          {warning !== undefined && (
            <>
              <Icon of={triangleAlert} class="warn" /> <b>{warning}</b>{' '}
            </>
          )}
          {blocker === undefined && <span class="dim">{step ?? plan}</span>}
        </>
      }
    >
      <ButtonLink kind="quiet" href="/deployments">
        Cancel
      </ButtonLink>
      <Button
        kind="primary"
        type="submit"
        icon={rocket}
        disabled={blocker !== undefined}
        busy={step !== undefined && 'Creating'}
      >
        Create and deploy
      </Button>
    </FormBar>
  );
}

const missingText = (count: number): string | undefined =>
  count === 0 ? undefined : count === 1 ? '1 secret is missing.' : `${count} secrets are missing.`;
