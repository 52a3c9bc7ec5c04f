import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Deployment } from '../../../lib/client/endpoints.ts';
import { client } from '../../data/api.ts';
import { queryClient } from '../../data/poll.ts';
import { changedNames, draftOf, type Effect, effectOf, mergedDraft, strongest } from '../../logic/draft.ts';
import { bodyOf } from '../../logic/draft-body.ts';
import { buildSecretsWish, editsOf, isEdited, merged, secretsWish } from '../../logic/secrets.ts';
import { toast } from '../../ui/toast.tsx';
import { useDraftForm } from './parts.tsx';

const GET = 'GET /v2/deployments/{deployment_id}';
const PATCH = 'PATCH /v2/deployments/{deployment_id}';

const namesOf = (list: readonly { name: string }[] | null): string[] => (list ?? []).map(({ name }) => name);
const secretNames = ({ secrets }: Deployment): string[] => namesOf(secrets);
const buildSecretNames = ({ source_config: set }: Deployment): string[] => namesOf(set.build_secrets);

/**
 * Edits of a deployment. A save names the tag of what they were begun on, so that nobody's change is written
 * over.
 */
export function useEdited(deployment: Deployment, firstTag: string | null) {
  const form = useDraftForm(() => draftOf(deployment));
  const [before, setBefore] = useState(() => draftOf(deployment));
  const [secrets, setSecrets] = useState(() => editsOf(secretNames(deployment)));
  const [buildSecrets, setBuildSecrets] = useState(() => editsOf(buildSecretNames(deployment)));
  const [accepts, setAccepts] = useState(false);
  const [tag, setTag] = useState(firstTag);
  const params = { deployment_id: deployment.id };
  const begin = async (): Promise<Deployment> => {
    const { answer, tag: next } = await client.askTagged(GET, { params });
    setTag(next);
    setBefore(draftOf(answer));
    return answer;
  };
  /** The own edits on what somebody else has stored meanwhile. */
  const merge = async () => {
    const answer = await begin();
    form.change(mergedDraft(form.draft, before, draftOf(answer)));
    setSecrets((own) => merged(own, secretNames(answer)));
    setBuildSecrets((own) => merged(own, buildSecretNames(answer)));
  };
  /** Without the own edits, as it is stored by now. */
  const reset = async () => {
    const answer = await begin();
    form.change(draftOf(answer));
    setSecrets(editsOf(secretNames(answer)));
    setBuildSecrets(editsOf(buildSecretNames(answer)));
    setAccepts(false);
  };
  const save = async (): Promise<Deployment> => {
    const body = bodyOf(form.draft, before);
    const headers = tag === null ? {} : { 'If-Match': tag };
    const wish = {
      ...body,
      source_config: { ...body.source_config, ...(isEdited(buildSecrets) && buildSecretsWish(buildSecrets)) },
      ...(isEdited(secrets) && secretsWish(secrets)),
      ...(accepts && { accept_new_state: true }),
    };
    return (await client.askTagged(PATCH, { params, body: wish }, { headers })).answer;
  };
  const changed = changedNames(form.draft, before);
  const effect = strongest(
    effectOf(changed),
    isEdited(secrets) ? 'run' : 'none',
    isEdited(buildSecrets) ? 'build' : 'none',
  );
  const isOtherSource = changed.includes('repo_url') || changed.includes('repo_ref');
  return {
    ...{ form, before, secrets, setSecrets, buildSecrets, setBuildSecrets, accepts, setAccepts },
    ...{ merge, reset, save, effect, isOtherSource },
  };
}

export type Edited = ReturnType<typeof useEdited>;

/** Saves the edits. What makes a revision leads to it; what does not leaves the page where it is. */
export function useSave(edited: Edited, effect: Effect) {
  const [, go] = useLocation();
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  const during = async (work: () => Promise<unknown>) => {
    setError(undefined);
    setSaving(true);
    try {
      await work();
    } catch (refused) {
      setError(refused);
    } finally {
      setSaving(false);
    }
  };
  const save = () =>
    during(async () => {
      const { id, latest_revision_id } = await edited.save();
      await queryClient.invalidateQueries();
      if (effect !== 'setting') return go(`/deployments/${id}/revisions/${latest_revision_id}`);
      await edited.reset();
      toast({ text: 'Saved. It applies from now on.' });
    });
  return { save, merge: () => during(edited.merge), reset: () => during(edited.reset), isSaving, error };
}
