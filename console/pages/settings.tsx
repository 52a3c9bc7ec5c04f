import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Deployment } from '../../lib/client/endpoints.ts';
import { Refusal } from '../../lib/client/refusal.ts';
import { numberOf } from '../../lib/client/revision.ts';
import { isReservedSecret } from '../../lib/reserved-names.ts';
import { useChoices } from '../data/lists.ts';
import { useCan } from '../data/permissions.ts';
import { useTaggedDeployment } from '../data/queries.ts';
import { useHead } from '../data/source.ts';
import { buildsImages } from '../logic/placement.ts';
import { restProblem } from '../logic/resources.ts';
import { kindOfSource, type SourceKind, savePlan } from '../logic/save-plan.ts';
import { missingOf } from '../logic/secrets.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmName } from '../ui/confirm-name.tsx';
import { Refused } from '../ui/field.tsx';
import { FormBar, FormSection } from '../ui/form-section.tsx';
import { Icon } from '../ui/icon.tsx';
import { rocket, triangleAlert } from '../ui/icons.ts';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { BuildSection } from './configure/build-section.tsx';
import { DraftField, type DraftForm } from './configure/parts.tsx';
import { PlaceSection } from './configure/place-section.tsx';
import { ResourcesSection } from './configure/resources-section.tsx';
import { RuntimeSection, StartSection } from './configure/runtime-section.tsx';
import { type Asked, SecretList } from './configure/secret-list.tsx';
import { SourceSection, useFound } from './configure/source-section.tsx';
import { NONE, useAskedRows } from './configure/use-new.ts';
import { type Edited, useEdited, useSave } from './configure/use-settings.ts';
import { DeploymentFrame } from './deployment/frame.tsx';

const FORM = 'settings';

/** What a deployment is configured with. */
export const SettingsPage = ({ id }: { id: string }) => (
  <DeploymentFrame id={id} isPlain>
    {() => <Settings id={id} />}
  </DeploymentFrame>
);

function Settings({ id }: { id: string }) {
  const { data: found, error } = useTaggedDeployment(id);
  const canWrite = useCan('deployments:write');
  if (canWrite === false)
    return (
      <Empty title="Your role does not include this page" picture="people">
        <p class="dim">An administrator of this tenant can give you another role.</p>
      </Empty>
    );
  if (error !== null) return <Problem error={error} />;
  if (found === undefined || canWrite === undefined) return <Skeleton />;
  return <Edit key={found.answer.id} deployment={found.answer} tag={found.tag} />;
}

function Edit({ deployment, tag }: { deployment: Deployment; tag: string | null }) {
  const edited = useEdited(deployment, tag);
  const saving = useSave(edited, edited.effect);
  const { error, isSaving } = saving;
  const kind = kindOfSource(deployment);
  const isOutdated = error instanceof Refusal && error.status === 412;
  return (
    <>
      <form
        id={FORM}
        onSubmit={(event) => {
          event.preventDefault();
          if (edited.effect !== 'none' && !isSaving && !isOutdated) void saving.save();
        }}
      >
        <Refused.Provider value={error}>
          <Sections deployment={deployment} kind={kind} edited={edited} />
        </Refused.Provider>
      </form>
      <Delete deployment={deployment} />
      {isOutdated && <Outdated merge={() => void saving.merge()} />}
      {error !== undefined && !isOutdated && <Problem error={error} />}
      <Bar {...{ deployment, kind, edited, isOutdated, isSaving }} reset={() => void saving.reset()} />
    </>
  );
}

type SectionsProps = { deployment: Deployment; kind: SourceKind; edited: Edited };

function Sections({ deployment, kind, edited }: SectionsProps) {
  const { form, before } = edited;
  const { data: listeners = [] } = useChoices('GET /v2/listeners', {});
  const listener = listeners.find(({ id }) => id === deployment.source_config.listener_id);
  const found = useFound(form, kind);
  const asked = found.look?.secrets_asked ?? NONE;
  useAskedRows(asked, edited.setSecrets);
  const missing = missingOf(asked, edited.secrets);
  return (
    <>
      <NameSection name={deployment.name} form={form} />
      <SourceSection
        form={form}
        kind={kind}
        found={found}
        missing={missing.length}
        isStored
        folder={
          <p class="dim">The folder that was uploaded last. Upload another one on the deployment’s page.</p>
        }
      />
      <SecretsSection edited={edited} asked={asked} />
      <BuildSection
        form={form}
        kind={kind}
        secrets={edited.buildSecrets}
        setSecrets={edited.setBuildSecrets}
        buildsImages={listener && buildsImages(listener)}
      />
      <StartSection form={form} />
      <RuntimeSection
        form={form}
        deployment={deployment}
        acceptsNewState={edited.accepts}
        setAccepts={edited.setAccepts}
      />
      <ResourcesSection form={form} listener={listener} />
      <PlaceSection
        form={form}
        kind={kind}
        listeners={listeners}
        listener={listener}
        isStored
        hasDrain={before.drain_seconds !== ''}
      />
    </>
  );
}

const NameSection = ({ name, form }: { name: string; form: DraftForm }) => (
  <FormSection
    title="Name"
    about="The name is part of the address and stays. The display name is for people."
  >
    <div class="pair">
      <label class="field">
        <span>Name</span>
        <input value={name} readOnly />
      </label>
      <DraftField
        form={form}
        name="display_name"
        label="Display name"
        placeholder="The same as the name"
        lengthMax={256}
      />
    </div>
  </FormSection>
);

const SecretsSection = ({ edited, asked }: { edited: Edited; asked: readonly Asked[] }) => (
  <FormSection
    title="Secrets"
    about="The running server gets these as variables. Values are encrypted and never shown again."
  >
    <SecretList
      edits={edited.secrets}
      set={edited.setSecrets}
      of="secrets"
      noun="secret"
      asked={asked}
      isReserved={isReservedSecret}
    />
  </FormSection>
);

type BarProps = SectionsProps & { isOutdated: boolean; isSaving: boolean; reset: () => void };

function Bar({ deployment, kind, edited, isOutdated, isSaving, reset }: BarProps) {
  const { effect, form, isOtherSource } = edited;
  const { data: source } = useHead(deployment.id, kind === 'git');
  const { active_revision_id: active } = deployment;
  const servingNumber = active === null ? undefined : numberOf(active);
  const { verb, does, stays } = savePlan({
    ...{ effect, kind, draft: form.draft, isOtherSource, source, servingNumber },
  });
  const problem = restProblem(form.draft.more_resources) && 'Correct the JSON under Resources.';
  const isChanged = effect !== 'none';
  return (
    <FormBar
      says={
        problem === undefined ? (
          <>
            <span class={isChanged ? undefined : 'dim'}>{does}</span> <span class="dim">{stays}</span>
          </>
        ) : (
          <>
            <Icon of={triangleAlert} class="warn" /> <b>{problem}</b>
          </>
        )
      }
    >
      {isChanged && (
        <Button kind="quiet" onClick={reset} disabled={isSaving}>
          Discard
        </Button>
      )}
      <Button
        kind="primary"
        type="submit"
        form={FORM}
        icon={effect === 'setting' ? undefined : rocket}
        disabled={!isChanged || isOutdated || problem !== undefined}
        busy={isSaving && 'Saving'}
      >
        {verb}
      </Button>
    </FormBar>
  );
}

const Outdated = ({ merge }: { merge: () => void }) => (
  <div class="problem" role="alert">
    <p>Somebody else has changed this deployment since you began. Your edits can be put on top of theirs.</p>
    <Button onClick={merge}>Merge, then look again</Button>
  </div>
);

function Delete({ deployment: { id, name } }: { deployment: Deployment }) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [, go] = useLocation();
  return (
    <FormSection
      title="Delete"
      about="Its servers stop, and its revisions, logs and secrets go. This cannot be undone."
    >
      <div class="line">
        <Button kind="danger" onClick={() => setOpen(true)}>
          Delete this deployment
        </Button>
      </div>
      {isOpen && (
        <ActionDialog
          title={`Delete ${name}?`}
          verb="Delete"
          isDanger
          isReady={typed === name}
          endpoint="DELETE /v2/deployments/{deployment_id}"
          parts={{ params: { deployment_id: id } }}
          onClose={() => setOpen(false)}
          onDone={() => go('/deployments')}
        >
          <ConfirmName name={name} value={typed} set={setTyped} />
        </ActionDialog>
      )}
    </FormSection>
  );
}
