import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { PREFIX } from '../../data/place.ts';
import { useChange } from '../../data/queries.ts';
import { hostGuides } from '../../logic/hosts.ts';
import { gitHosts, type Integration, pushAddress } from '../../logic/integration.ts';
import { newSecretText } from '../../logic/random-text.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { CheckField, Refused, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.ts';
import { FormBar, FormSection } from '../../ui/form-section.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf, useParameters } from '../../ui/parameters.ts';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { Problem } from '../../ui/states.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { ScopeList, Steps } from './host-guide.tsx';

/** Connects a git host: which one, its token with the steps that make it, and the secret of its webhook. */
export const NewIntegration = () => (
  <Page
    title="Connect a git host"
    above={{ title: 'Integrations', path: '/connections' }}
    head={{
      under: (
        <p class="dim">With its token private repositories are read, and a push can deploy by itself.</p>
      ),
    }}
    permissions={['integrations:write']}
  >
    <Form />
  </Page>
);

/** What is typed; the kind of host stands in the address, so that a link leads to its steps. */
function useConnect() {
  const [search, change] = useParameters();
  const type = oneOf(
    gitHosts.map(([each]) => each),
    search.get('host'),
  );
  const { values, set } = useForm({ host: '', name: '', token: '', isOnPush: true, submodules: false });
  return {
    type: type === '' ? ('github' as const) : type,
    choose: (host: string) => change({ host }),
    values,
    set,
  };
}

function Form() {
  const [, go] = useLocation();
  const connecting = useConnect();
  const { type, values } = connecting;
  const [secret] = useState(newSecretText);
  const [made, setMade] = useState<Integration>();
  const connect = useChange('POST /v2/integrations', setMade);
  const guide = hostGuides[type];
  const host = values.host.trim() || guide.host;
  const isReady = host !== undefined && values.token !== '';
  const done = ({ id }: Integration) => go(`/connections/integrations/${id}?test=1`);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady || connect.isPending) return;
        connect.mutate(
          {
            body: {
              type,
              ...(values.host.trim() !== '' && { host: values.host.trim() }),
              ...(values.name.trim() !== '' && { name: values.name.trim() }),
              token: values.token,
              ...(values.isOnPush && { webhook_secret: secret }),
              ...(values.submodules && { submodules: true }),
            },
          },
          { onSuccess: (answer) => !values.isOnPush && done(answer) },
        );
      }}
    >
      <Refused.Provider value={connect.error}>
        <HostSection {...connecting} />
        <TokenSection {...connecting} host={host} />
        <PushSection {...connecting} />
      </Refused.Provider>
      {connect.error !== null && <Problem error={connect.error} />}
      <FormBar says={<span class="dim">{saysOf(guide.title, host, values.token !== '')}</span>}>
        <ButtonLink kind="quiet" href="/connections">
          Cancel
        </ButtonLink>
        <Button kind="primary" type="submit" disabled={!isReady} busy={connect.isPending && 'Connecting'}>
          Connect {guide.title}
        </Button>
      </FormBar>
      {made !== undefined && values.isOnPush && (
        <WebhookSecret integration={made} secret={secret} onClose={() => done(made)} />
      )}
    </form>
  );
}

type Connecting = ReturnType<typeof useConnect>;

function HostSection({ type, choose, values, set }: Connecting) {
  const guide = hostGuides[type];
  return (
    <FormSection title="Host" about="Where the repositories are.">
      <Segmented
        label="Kind of host"
        value={type}
        onChange={choose}
        options={gitHosts.map(([value, title]) => ({ value, title }))}
      />
      <div class="pair">
        <TextField
          label="Host name"
          of="host"
          value={values.host}
          set={set('host')}
          placeholder={guide.host ?? 'git.example.com'}
          isRequired={guide.host === undefined}
          hint={guide.host === undefined ? 'The name alone, without https.' : 'Only for a host of your own.'}
        />
        <TextField
          label="Name"
          of="name"
          value={values.name}
          set={set('name')}
          placeholder={values.host.trim() || (guide.host ?? 'The host')}
          lengthMax={128}
          hint="What lists here call it."
        />
      </div>
    </FormSection>
  );
}

function TokenSection({ type, values, set, host }: Connecting & { host: string | undefined }) {
  const guide = hostGuides[type];
  return (
    <FormSection
      title="Token"
      about={`Slipway reads repositories with a ${guide.token}. It is stored encrypted and never shown.`}
    >
      <Steps steps={guide.tokenSteps}>
        {host !== undefined && (
          <ButtonLink isSmall href={guide.tokenUrl(host)} isOutside>
            Open the page for a new token
          </ButtonLink>
        )}
      </Steps>
      <ScopeList scopes={guide.scopes} />
      <TextField label="Token" of="token" value={values.token} set={set('token')} isRequired isSecret />
      <CheckField
        label="Give it to submodules on the same host too"
        value={values.submodules}
        set={set('submodules')}
      />
    </FormSection>
  );
}

const PushSection = ({ values, set }: Connecting) => (
  <FormSection
    title="Deploy on push"
    about="With a webhook the host reports each push at once. Without one, Slipway checks the branches every five minutes."
  >
    <CheckField label="Make a secret for a webhook" value={values.isOnPush} set={set('isOnPush')} />
    <p class="meta">You get its address and the secret next, with the steps to set it up.</p>
  </FormSection>
);

function saysOf(title: string, host: string | undefined, hasToken: boolean): string {
  if (host === undefined) return `Name the host of your ${title}.`;
  return hasToken ? `The token goes to ${host} alone.` : 'Paste a token to go on.';
}

type SecretProps = { integration: Integration; secret: string; onClose: () => void };

function WebhookSecret({ integration, secret, onClose }: SecretProps) {
  const guide = hostGuides[integration.type];
  const address = pushAddress(integration, location.origin + PREFIX);
  return (
    <SecretDialog
      title={`Set up the webhook at ${guide.title}`}
      secret={secret}
      hint="This is the webhook’s secret."
      onClose={onClose}
    >
      <p class="line">
        <span>The address of the webhook:</span> <Copy text={address} label="Copy the address" />
      </p>
      <pre class="command">{address}</pre>
      <Steps steps={guide.webhookSteps} />
    </SecretDialog>
  );
}
