import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { Deployment } from '../../lib/client/endpoints.ts';
import { Refusal } from '../../lib/client/refusal.ts';
import { client } from '../data/api.ts';
import { useCan } from '../data/permissions.ts';
import { queryClient } from '../data/poll.ts';
import { useTaggedDeployment } from '../data/queries.ts';
import { changedTexts, mergedTexts, textsOf } from '../logic/configuration.ts';
import { isSameResources, mergedResources, resourcesOf, specWith } from '../logic/resources.ts';
import { editsOf, isEdited, merged, type SecretEdit, secretsWish } from '../logic/secrets.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { ConfirmName } from '../ui/confirm-name.tsx';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';
import { CommandFields, ResourceFields } from './settings-fields.tsx';

const GET = 'GET /v2/deployments/{deployment_id}';
const PATCH = 'PATCH /v2/deployments/{deployment_id}';

/** What a deployment is configured with. */
export function SettingsPage({ id }: { id: string }) {
  const { data: found, error } = useTaggedDeployment(id);
  const data = found?.answer;
  const canWrite = useCan('deployments:write');
  useTitle(`Settings of ${data?.name ?? 'a deployment'}`);
  return (
    <main id="main">
      <nav class="trail" aria-label="You are here">
        <Link href="/deployments">Deployments</Link>
        <Link href={`/deployments/${id}`}>{data?.display_name ?? data?.name ?? 'Deployment'}</Link>
      </nav>
      <h1>Settings</h1>
      {error !== null && <Problem error={error} />}
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && canWrite === false && <Empty title="Your role changes no settings." />}
      {found !== undefined && canWrite === true && (
        <>
          <Edit key={found.answer.id} deployment={found.answer} tag={found.tag} />
          <Delete deployment={found.answer} />
        </>
      )}
    </main>
  );
}

/** The resources that edits are made to. */
function useStored({ source_config: { resource_spec } }: Deployment) {
  const from = (spec: Record<string, unknown> | null) => ({ spec, resources: resourcesOf(spec) });
  const [stored, setStored] = useState(() => from(resource_spec));
  const set = (answer: Deployment) => {
    const next = from(answer.source_config.resource_spec);
    setStored(next);
    return next;
  };
  return { ...stored, set };
}

/** A save names the tag of what the form was filled from, so that nobody's change is written over. */
function useEdited(deployment: Deployment, firstTag: string | null) {
  const [edits, setEdits] = useState(() => editsOf(deployment.secrets.map(({ name }) => name)));
  const [texts, setTexts] = useState(() => textsOf(deployment));
  const [before, setBefore] = useState(() => textsOf(deployment));
  const stored = useStored(deployment);
  const [resources, setResources] = useState(stored.resources);
  const [tag, setTag] = useState(firstTag);
  const params = { deployment_id: deployment.id };
  /** The own edits on what somebody else has stored meanwhile. */
  const merge = async () => {
    const { answer, tag: nextTag } = await client.askTagged(GET, { params });
    setTag(nextTag);
    setEdits((own) =>
      merged(
        own,
        answer.secrets.map(({ name }) => name),
      ),
    );
    const { resources: nextResources } = stored.set(answer);
    setResources((own) => mergedResources(own, stored.resources, nextResources));
    const now = textsOf(answer);
    setTexts((own) => mergedTexts(own, before, now));
    setBefore(now);
  };
  const save = async (): Promise<Deployment> => {
    const body = {
      ...(isEdited(edits) && secretsWish(edits)),
      source_config: {
        ...changedTexts(texts, before),
        ...(!isSameResources(resources, stored.resources) && {
          resource_spec: specWith(stored.spec, resources),
        }),
      },
    };
    const headers = tag === null ? {} : { 'If-Match': tag };
    return (await client.askTagged(PATCH, { params, body }, { headers })).answer;
  };
  const isChanged =
    isEdited(edits) ||
    Object.keys(changedTexts(texts, before)).length > 0 ||
    !isSameResources(resources, stored.resources);
  const fields = { edits, setEdits, texts, setTexts, resources, setResources };
  return { ...fields, merge, save, isChanged };
}

/** Saves the edits and goes to the revision that comes of it; what was refused otherwise. */
function useSave(edited: ReturnType<typeof useEdited>) {
  const [, go] = useLocation();
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  const save = async () => {
    setError(undefined);
    setSaving(true);
    try {
      const { id, latest_revision_id } = await edited.save();
      await queryClient.invalidateQueries();
      go(`/deployments/${id}/revisions/${latest_revision_id}`);
    } catch (refused) {
      setError(refused);
      setSaving(false);
    }
  };
  const merge = () => {
    setError(undefined);
    edited.merge().catch(setError);
  };
  return { save, merge, isSaving, error };
}

function Edit({ deployment, tag }: { deployment: Deployment; tag: string | null }) {
  const edited = useEdited(deployment, tag);
  const { save, merge, isSaving, error } = useSave(edited);
  const isOutdated = error instanceof Refusal && error.status === 412;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <section aria-labelledby="secrets">
        <h2 id="secrets">Secrets</h2>
        <p class="quiet small">
          Values are stored encrypted and never shown. The running server gets them as variables.
        </p>
        <Secrets edits={edited.edits} set={edited.setEdits} />
      </section>
      <CommandFields texts={edited.texts} set={edited.setTexts} />
      <ResourceFields resources={edited.resources} set={edited.setResources} />
      {isOutdated && <Outdated merge={merge} />}
      {error !== undefined && !isOutdated && <Problem error={error} />}
      <div class="actions">
        <button type="submit" class="primary" disabled={!edited.isChanged || isSaving || isOutdated}>
          {isSaving ? 'Saving…' : 'Save and deploy'}
        </button>
      </div>
    </form>
  );
}

const Outdated = ({ merge }: { merge: () => void }) => (
  <div class="problem" role="alert">
    <p>Somebody else has changed this deployment since you began. Your edits can be put on top of theirs.</p>
    <button type="button" onClick={merge}>
      Merge, then look again
    </button>
  </div>
);

function Secrets({ edits, set }: { edits: SecretEdit[]; set: (edits: SecretEdit[]) => void }) {
  const change = (index: number, changes: Partial<SecretEdit>) =>
    set(edits.map((edit, at) => (at === index ? { ...edit, ...changes } : edit)));
  return (
    <>
      <ul class="secrets">
        {edits.map((edit, index) => (
          <li key={index} class={edit.isRemoved ? 'removed' : ''}>
            <input
              aria-label="Name of the secret"
              value={edit.name}
              readOnly={edit.isStored}
              required={!edit.isRemoved}
              spellcheck={false}
              autocomplete="off"
              onInput={({ currentTarget }) => change(index, { name: currentTarget.value })}
            />
            <input
              aria-label={`Value of ${edit.name || 'the new secret'}`}
              type="password"
              autocomplete="new-password"
              value={edit.value}
              disabled={edit.isRemoved}
              placeholder={edit.isStored ? 'Keep the stored value' : 'Value'}
              onInput={({ currentTarget }) => change(index, { value: currentTarget.value })}
            />
            <button
              type="button"
              onClick={() =>
                edit.isStored
                  ? change(index, { isRemoved: !edit.isRemoved })
                  : set(edits.filter((_, at) => at !== index))
              }
            >
              {edit.isRemoved ? 'Keep' : 'Remove'}
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        onClick={() => set([...edits, { name: '', value: '', isStored: false, isRemoved: false }])}
      >
        Add a secret
      </button>
    </>
  );
}

function Delete({ deployment }: { deployment: Deployment }) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [, go] = useLocation();
  const { id, name } = deployment;
  return (
    <section class="danger-zone" aria-labelledby="delete">
      <h2 id="delete">Delete</h2>
      <p>Its servers stop, and its revisions, logs and secrets go. This cannot be undone.</p>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        Delete this deployment
      </button>
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
    </section>
  );
}
