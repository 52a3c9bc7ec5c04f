import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Deployment, Listener } from '../../../lib/client/endpoints.ts';
import { ask } from '../../data/api.ts';
import { askedByFolder } from '../../data/folder.ts';
import { useChoices } from '../../data/lists.ts';
import { queryClient } from '../../data/poll.ts';
import { useNeighbours } from '../../data/repositories.ts';
import { deployFolder, type Picked } from '../../data/upload.ts';
import { nameOf, suggestedName } from '../../logic/deployment-name.ts';
import type { Draft } from '../../logic/draft.ts';
import { bodyOf } from '../../logic/draft-body.ts';
import { addressOf, canRun, chosenListener } from '../../logic/placement.ts';
import { restProblem } from '../../logic/resources.ts';
import type { SourceKind } from '../../logic/save-plan.ts';
import { isEdited, type SecretEdit, secretsOf, withAsked } from '../../logic/secrets.ts';
import { useSettled } from '../../ui/settled.ts';
import { useAvailability } from './name-section.tsx';
import type { DraftForm } from './parts.tsx';
import type { Asked } from './secret-list.tsx';

export type Folder = { picked: Picked[]; name: string };

/** The name: what somebody has typed, else what the source suggests; and whether it is free. */
export function useName({ draft }: DraftForm, kind: SourceKind, folder: Folder) {
  const [own, setOwn] = useState<string>();
  const source = { git: draft.repo_url, folder: folder.name, image: draft.image_uri }[kind];
  const below = kind === 'image' ? '' : draft.root_directory;
  const suggested = suggestedName({ source: useSettled(source), folder: useSettled(below) });
  const name = own ?? suggested;
  return { name, set: setOwn, isTaken: useAvailability(useSettled(name)) };
}

export const NONE: readonly Asked[] = [];

/** Keeps a row in the list for each secret that the project asks for. */
export function useAskedRows(
  asked: readonly Asked[],
  setEdits: (change: (before: SecretEdit[]) => SecretEdit[]) => void,
): void {
  const names = asked.map(({ name }) => name).join('\n');
  useEffect(() => setEdits((before) => withAsked(before, asked)), [names]);
}

/** The secrets, with a row for each that the project asks for. */
export function useSecrets(
  kind: SourceKind,
  ofRepository: readonly Asked[] | undefined,
  folder: Folder,
  root: string,
) {
  const [edits, setEdits] = useState<SecretEdit[]>([]);
  const [ofFolder, setOfFolder] = useState<readonly Asked[]>(NONE);
  useEffect(() => {
    let isOver = false;
    void askedByFolder(folder.picked, root).then((asked) => !isOver && setOfFolder(asked));
    return () => {
      isOver = true;
    };
  }, [folder.picked, root]);
  const asked = { git: ofRepository ?? NONE, folder: ofFolder, image: NONE }[kind];
  useAskedRows(asked, setEdits);
  return { edits, setEdits, asked };
}

/** Where it will run: chosen, or what is chosen for whoever says nothing; and under which address. */
export function usePlacement({ draft }: DraftForm, kind: SourceKind, name: string) {
  const { data: listeners = [] } = useChoices('GET /v2/listeners', {});
  const listener =
    draft.listener_id === ''
      ? chosenListener(listeners, kind)
      : listeners.find(({ id }) => id === draft.listener_id);
  const { data: neighbours = [] } = useNeighbours(listener?.id);
  return {
    listeners,
    listener,
    address: draft.custom_url || addressOf(nameOf(name), listener?.id, neighbours),
  };
}

/** What keeps the form from being sent, in words; undefined: nothing. */
export function blockerOf(
  { draft }: DraftForm,
  kind: SourceKind,
  folder: Folder,
  { name, isTaken }: { name: string; isTaken: boolean | undefined },
  listeners: readonly Pick<Listener, 'compute_type'>[],
): string | undefined {
  if (kind === 'git' && draft.repo_url.trim() === '') return 'Choose a repository.';
  if (kind === 'folder' && folder.picked.length === 0) return 'Choose a folder.';
  if (kind === 'image' && draft.image_uri.trim() === '') return 'Name an image.';
  if (listeners.length > 0 && !listeners.some((each) => canRun(each, kind)))
    return 'No listener here runs images: register one of a cluster first.';
  if (nameOf(name) === '') return 'Give it a name.';
  if (isTaken === true) return `There is a deployment called ${nameOf(name)}: choose another name.`;
  return restProblem(draft.more_resources) === undefined ? undefined : 'Correct the JSON under Resources.';
}

export type Made = {
  kind: SourceKind;
  name: string;
  draft: Draft;
  secrets: readonly SecretEdit[];
  buildSecrets: readonly SecretEdit[];
  picked: readonly Picked[];
};

const sources = { git: 'github', folder: 'internal_source', image: 'external_docker' } as const;

/** What of a draft counts for a source of another kind stays out. */
function fitting({ kind, draft }: Pick<Made, 'kind' | 'draft'>): Draft {
  const { integration_id, repo_url, repo_ref, build_on_push, push_paths, image_uri, ...rest } = draft;
  const git = { integration_id, repo_url, repo_ref, build_on_push, push_paths };
  const none = { integration_id: '', repo_url: '', repo_ref: '', build_on_push: '', push_paths: '' };
  const ofImage = { ...rest, ...none, image_uri, graph_config_path: '', root_directory: '' };
  return kind === 'image' ? ofImage : { ...rest, ...(kind === 'git' ? git : none), image_uri: '' };
}

async function create(made: Made): Promise<Deployment> {
  const { kind, name, secrets, buildSecrets } = made;
  const { display_name, secret_references, source_config, source_revision_config } = bodyOf(fitting(made));
  return ask('POST /v2/deployments', {
    body: {
      name,
      source: sources[kind],
      ...(typeof display_name === 'string' && { display_name }),
      ...(secret_references !== undefined && { secret_references }),
      source_config: {
        ...source_config,
        ...(kind !== 'image' && isEdited(buildSecrets) && { build_secrets: secretsOf(buildSecrets) }),
      },
      source_revision_config: source_revision_config ?? {},
      ...(isEdited(secrets) && { secrets: secretsOf(secrets) }),
    },
  });
}

/** Makes the deployment and goes to its first revision; how far that is, and what was refused. */
export function useCreate() {
  const [, go] = useLocation();
  const [step, setStep] = useState<string>();
  const [error, setError] = useState<unknown>();
  // One whose upload broke off is there already: it is not made again.
  const begun = useRef<Deployment>();
  const send = async (made: Made) => {
    setError(undefined);
    setStep('Creating');
    try {
      const again = begun.current?.name === made.name ? begun.current : undefined;
      let deployment = again ?? (await create(made));
      begun.current = deployment;
      if (made.kind === 'folder') deployment = await deployFolder(deployment, made.picked, setStep);
      await queryClient.invalidateQueries();
      go(`/deployments/${deployment.id}/revisions/${deployment.latest_revision_id}`);
    } catch (refused) {
      setError(refused);
    } finally {
      setStep(undefined);
    }
  };
  return { step, error, send };
}
