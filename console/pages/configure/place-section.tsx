import type { Listener } from '../../../lib/client/endpoints.ts';
import { isOfCluster } from '../../logic/listener.ts';
import { canRun, listenerHint } from '../../logic/placement.ts';
import type { SourceKind } from '../../logic/save-plan.ts';
import { ChoiceField } from '../../ui/field.tsx';
import { FormSection } from '../../ui/form-section.tsx';
import { DraftField, type DraftForm, DraftLines, DraftNumber } from './parts.tsx';

type Props = {
  form: DraftForm;
  kind: SourceKind;
  listeners: readonly Listener[];
  /** What runs it: chosen here, or for whoever chooses nothing. */
  listener: Listener | undefined;
  /** A deployment stays where it was made. */
  isStored: boolean;
  /** Once a grace period is stored, nothing clears it. */
  hasDrain: boolean;
};

/** Where a deployment runs, and under which address it is found. */
export function PlaceSection({ form, kind, listeners, listener, isStored, hasDrain }: Props) {
  const isCluster = listener !== undefined && isOfCluster(listener);
  return (
    <FormSection
      title="Where it runs"
      about="The listener that runs its servers, and the address they answer at."
    >
      <div class="pair">
        {isStored ? (
          <Stays label="Listener" value={listener?.compute_id ?? 'Not known'} />
        ) : (
          <ListenerChoice {...{ form, kind, listeners, listener }} />
        )}
        {isCluster && <Namespace form={form} listener={listener} isStored={isStored} />}
        <DraftField
          form={form}
          name="custom_url"
          label="Address of your own"
          placeholder="agent.example.com"
          hint="Point your DNS or proxy to it. Left empty, the listener gives one."
        />
        <DraftNumber
          form={form}
          name="drain_seconds"
          label="Grace period, in seconds"
          placeholder="The listener’s default"
          min={0}
          max={3600}
          isRequired={hasDrain}
          hint={
            hasDrain
              ? 'How long requests in flight may go on. It can be changed, but not cleared.'
              : 'How long requests in flight may go on when a new revision takes over.'
          }
        />
      </div>
      {isCluster && (
        <DraftLines
          form={form}
          name="secret_references"
          label="Secrets of the cluster"
          placeholder="OPENAI_API_KEY=model-keys/openai"
          hint="One a line: the variable, then the cluster’s secret and its key. Values never pass through Slipway."
        />
      )}
    </FormSection>
  );
}

const Stays = ({ label, value }: { label: string; value: string }) => (
  <label class="field">
    <span>{label}</span>
    <input value={value} readOnly />
    <span class="small">A deployment stays where it was made.</span>
  </label>
);

function ListenerChoice({
  form: { draft, change },
  kind,
  listeners,
  listener,
}: Pick<Props, 'form' | 'kind' | 'listeners' | 'listener'>) {
  const able = listeners.filter((each) => canRun(each, kind));
  const usual = draft.listener_id === '' ? listener?.compute_id : undefined;
  const word = (each: Listener) => `${each.compute_id} (${listenerHint(each)})`;
  return (
    <ChoiceField
      label="Listener"
      of="source_config.listener_id"
      hint={
        able.length === 0
          ? 'No listener can run this yet: register one under Listeners.'
          : 'It cannot be changed later.'
      }
      value={draft.listener_id}
      set={(id) => change({ listener_id: id, k8s_namespace: '' })}
      choices={[
        ['', usual === undefined ? 'Choose for me' : `Choose for me: ${usual}`],
        ...able.map((each) => [each.id, word(each)] as const),
      ]}
    />
  );
}

function Namespace({
  form: { draft, change },
  listener,
  isStored,
}: {
  form: DraftForm;
  listener: Listener;
  isStored: boolean;
}) {
  const { k8s_namespaces: namespaces } = listener.compute_config;
  if (isStored) return <Stays label="Namespace" value={draft.k8s_namespace || (namespaces[0] ?? '')} />;
  return (
    <ChoiceField
      label="Namespace"
      of="source_config.listener_config"
      value={draft.k8s_namespace}
      set={(namespace) => change({ k8s_namespace: namespace })}
      choices={[
        ['', namespaces.length === 1 ? (namespaces[0] ?? '') : 'The listener’s first one'],
        ...namespaces.map((each) => [each, each] as const),
      ]}
    />
  );
}
