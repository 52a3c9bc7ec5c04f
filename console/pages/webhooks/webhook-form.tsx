import { useState } from 'preact/hooks';
import type { Answer, Webhook } from '../../../lib/client/endpoints.ts';
import { useChoices } from '../../data/lists.ts';
import { type EventType, eventTypes, eventWords, type Format, formats } from '../../logic/webhook.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ChecksField } from '../../ui/checks-field.tsx';
import { ChoiceField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.ts';
import { SecretDialog } from '../../ui/secret-dialog.tsx';

type Values = { url: string; name: string; format: Format; types: EventType[]; deployments: string[] };
type FieldsProps = {
  values: Values;
  set: <K extends keyof Values>(field: K) => (value: Values[K]) => void;
};

const orAll = <T,>(chosen: readonly T[]): T[] | null => (chosen.length === 0 ? null : [...chosen]);

function Filters({ values, set }: FieldsProps) {
  const { data: deployments = [] } = useChoices('GET /v2/deployments', {});
  const named = new Map(deployments.map(({ id, name }) => [id, name]));
  const offered = [...new Set([...values.deployments, ...named.keys()])];
  return (
    <>
      <ChecksField
        legend="Events"
        hint="None chosen: all events."
        of="event_types"
        chosen={values.types}
        set={set('types')}
        choices={eventTypes.map((type) => [type, `${eventWords[type]} (${type})`] as const)}
      />
      {offered.length > 0 && (
        <ChecksField
          legend="Deployments"
          hint="None chosen: all deployments. With a choice, only events of deployments are sent."
          of="deployment_ids"
          chosen={values.deployments}
          set={set('deployments')}
          choices={offered.map((id) => [id, named.get(id) ?? id] as const)}
        />
      )}
    </>
  );
}

type NewProps = { onClose: () => void; onStored: (id: string) => void };

/** Makes a webhook, and shows the secret that signs what it is sent. */
export function NewWebhook({ onClose, onStored }: NewProps) {
  const { values, set } = useForm<Values>({
    url: '',
    name: '',
    format: 'standard',
    types: [],
    deployments: [],
  });
  const [made, setMade] = useState<Answer<'POST /v2/webhooks'>>();
  if (made !== undefined) return <Secret made={made} onClose={() => onStored(made.id)} />;
  const name = values.name.trim();
  const body = {
    url: values.url.trim(),
    format: values.format,
    ...(name !== '' && { name }),
    ...(values.types.length > 0 && { event_types: values.types }),
    ...(values.deployments.length > 0 && { deployment_ids: values.deployments }),
  };
  return (
    <ActionDialog
      title="New webhook"
      verb="Create"
      endpoint="POST /v2/webhooks"
      parts={{ body }}
      onClose={onClose}
      onDone={setMade}
    >
      <TextField
        label="Address"
        of="url"
        type="url"
        hint="It has to answer with 2xx within 15 seconds."
        placeholder="https://bot.example/slipway"
        value={values.url}
        set={set('url')}
        isRequired
      />
      <TextField label="Name (optional)" of="name" value={values.name} set={set('name')} lengthMax={128} />
      <ChoiceField label="Format" of="format" value={values.format} set={set('format')} choices={formats} />
      <Filters values={values} set={set} />
    </ActionDialog>
  );
}

const Secret = ({ made, onClose }: { made: { secret?: string | undefined }; onClose: () => void }) => (
  <SecretDialog
    title="The signing secret"
    secret={made.secret ?? ''}
    hint="Your receiver uses it to check that a delivery comes from Slipway."
    onClose={onClose}
  />
);

type ChangeProps = { webhook: Webhook; onClose: () => void };

/** Changes where a webhook delivers, and what. */
export function ChangeWebhook({ webhook, onClose }: ChangeProps) {
  const { id, format } = webhook;
  // An address of Slack is a secret and comes masked: it is not sent back.
  const before = format === 'slack' ? '' : webhook.url;
  const { values, set } = useForm<Values>({
    url: before,
    name: webhook.name,
    format,
    types: eventTypes.filter((type) => webhook.event_types?.includes(type)),
    deployments: webhook.deployment_ids ?? [],
  });
  const url = values.url.trim();
  const body = {
    name: values.name.trim(),
    ...(url !== before && { url }),
    event_types: orAll(values.types),
    deployment_ids: orAll(values.deployments),
  };
  return (
    <ActionDialog
      title={`Change ${webhook.name}`}
      verb="Save"
      endpoint="PATCH /v2/webhooks/{webhook_id}"
      parts={{ params: { webhook_id: id }, body }}
      onClose={onClose}
    >
      <TextField
        label="Address"
        of="url"
        type="url"
        value={values.url}
        set={set('url')}
        isRequired={format !== 'slack'}
        placeholder={format === 'slack' ? 'Keep the stored address' : undefined}
      />
      <TextField label="Name" of="name" value={values.name} set={set('name')} isRequired lengthMax={128} />
      <Filters values={values} set={set} />
    </ActionDialog>
  );
}

/** Makes another secret, and shows it once. */
export function RotateSecret({ webhook: { id, name }, onClose }: ChangeProps) {
  const [made, setMade] = useState<Answer<'PATCH /v2/webhooks/{webhook_id}'>>();
  if (made !== undefined) return <Secret made={made} onClose={onClose} />;
  return (
    <ActionDialog
      title={`Rotate the secret of ${name}?`}
      verb="Rotate secret"
      endpoint="PATCH /v2/webhooks/{webhook_id}"
      parts={{ params: { webhook_id: id }, body: { rotate_secret: true } }}
      onClose={onClose}
      onDone={setMade}
    >
      <p>Deliveries are signed with both secrets for a day, so that you can replace the old one.</p>
    </ActionDialog>
  );
}
