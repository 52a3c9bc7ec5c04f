import { useState } from 'preact/hooks';
import type { Listener } from '../../../lib/client/endpoints.ts';
import type { PodSecurity } from '../../../lib/contract/pod-security.ts';
import {
  computeChoices,
  isOfCluster,
  platformsOf,
  podSecurityChoices,
  podSecurityOf,
  type RegisteredType,
  wordsIn,
} from '../../logic/listener.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ConfirmName } from '../../ui/confirm-name.tsx';
import { CheckField, ChoiceField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.ts';

/** Registers a place to run agents in. */
export function NewListener({ onClose, onDone }: { onClose: () => void; onDone: (made: Listener) => void }) {
  const { values, set } = useForm({
    type: 'process' as RegisteredType,
    name: '',
    namespaces: '',
    platforms: '',
    podSecurity: 'baseline' as PodSecurity,
    isDefault: false,
  });
  const platforms = wordsIn(values.platforms);
  const ofCluster = isOfCluster({ compute_type: values.type });
  const body = {
    compute_type: values.type,
    compute_id: values.name.trim(),
    compute_config: {
      ...(ofCluster && {
        k8s_namespaces: wordsIn(values.namespaces),
        pod_security: values.podSecurity,
      }),
      ...(platforms.length > 0 && { platforms }),
    },
    ...(values.isDefault && { is_default: true }),
  };
  return (
    <ActionDialog
      title="New listener"
      verb="Register"
      endpoint="POST /v2/listeners"
      parts={{ body }}
      onClose={onClose}
      onDone={onDone}
    >
      <ChoiceField
        label="Runs agents"
        of="compute_type"
        value={values.type}
        set={set('type')}
        choices={computeChoices}
      />
      <TextField
        label="Name"
        of="compute_id"
        hint="The machine or the cluster. It cannot be changed later."
        value={values.name}
        set={set('name')}
        isRequired
      />
      <Places ofCluster={ofCluster} values={values} set={set} />
      {ofCluster && <PodSecurityField value={values.podSecurity} set={set('podSecurity')} />}
      <CheckField label="Deploy here by default" value={values.isDefault} set={set('isDefault')} />
    </ActionDialog>
  );
}

const PodSecurityField = ({ value, set }: { value: PodSecurity; set: (value: PodSecurity) => void }) => (
  <ChoiceField
    label="Pod security"
    of="compute_config.pod_security"
    hint="What new revisions may ask for. Servers that run already are not affected."
    value={value}
    set={set}
    choices={podSecurityChoices}
  />
);

type PlaceValues = { namespaces: string; platforms: string };
type PlaceProps = {
  ofCluster: boolean;
  values: PlaceValues;
  set: (field: keyof PlaceValues) => (value: string) => void;
};

const Places = ({ ofCluster, values, set }: PlaceProps) => (
  <>
    {ofCluster && (
      <TextField
        label="Namespaces"
        of="compute_config.k8s_namespaces"
        hint="Where deployments may run. The first one is the default."
        value={values.namespaces}
        set={set('namespaces')}
        placeholder="agents"
        isRequired
      />
    )}
    <TextField
      label="Platforms (optional)"
      of="compute_config.platforms"
      hint="What images are built for. Empty: the platform that the listener reports."
      value={values.platforms}
      set={set('platforms')}
      placeholder="linux/amd64"
    />
  </>
);

/** Changes what a listener is built for, and whether it is the default. */
export function ChangeListener({ listener, onClose }: { listener: Listener; onClose: () => void }) {
  const { id, compute_id, compute_config, is_default } = listener;
  const ofCluster = isOfCluster(listener);
  const { values, set } = useForm({
    namespaces: compute_config.k8s_namespaces.join(', '),
    platforms: platformsOf(listener).join(', '),
    podSecurity: podSecurityOf(listener),
    isDefault: is_default,
  });
  // A configuration replaces the one there: what else stands in it goes back with it.
  const config = {
    ...compute_config,
    k8s_namespaces: wordsIn(values.namespaces),
    platforms: wordsIn(values.platforms),
    ...(ofCluster && { pod_security: values.podSecurity }),
  };
  const body = {
    compute_config: config,
    ...(values.isDefault !== is_default && { is_default: values.isDefault }),
  };
  return (
    <ActionDialog
      title={`Change ${compute_id}`}
      verb="Save"
      endpoint="PATCH /v2/listeners/{listener_id}"
      parts={{ params: { listener_id: id }, body }}
      onClose={onClose}
    >
      <Places ofCluster={ofCluster} values={values} set={set} />
      {ofCluster && <PodSecurityField value={values.podSecurity} set={set('podSecurity')} />}
      <CheckField label="Deploy here by default" value={values.isDefault} set={set('isDefault')} />
    </ActionDialog>
  );
}

type DeleteProps = { listener: Listener; onClose: () => void; onDone: () => void };

/** Deletes a listener that runs nothing any more. */
export function DeleteListener({ listener: { id, compute_id }, onClose, onDone }: DeleteProps) {
  const [typed, setTyped] = useState('');
  return (
    <ActionDialog
      title={`Delete ${compute_id}?`}
      verb="Delete"
      isDanger
      isReady={typed === compute_id}
      endpoint="DELETE /v2/listeners/{listener_id}"
      parts={{ params: { listener_id: id } }}
      onClose={onClose}
      onDone={onDone}
    >
      <p>Only a listener without deployments can be deleted. Its keys stop working.</p>
      <ConfirmName name={compute_id} value={typed} set={setTyped} />
    </ActionDialog>
  );
}
