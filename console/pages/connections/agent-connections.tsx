import { useState } from 'preact/hooks';
import type { Answer } from '../../../lib/client/endpoints.ts';
import { useAnswer } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import type { Provider } from '../../logic/provider.ts';
import { shortId } from '../../logic/short-id.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ChoiceField } from '../../ui/field.tsx';
import { ListOf } from '../../ui/list-of.tsx';
import { Section } from '../../ui/page.tsx';
import { useParameters } from '../../ui/parameters.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useProvider, useTokens } from './tokens.tsx';

type Connection = Answer<'GET /v2/auth/agents/{agent_id}/connections'>['data'][number];

const columns: Column<Connection>[] = [
  {
    title: 'Account',
    cell: ({ provider_account_label: label, oauth_token_id: token }) => (
      <>
        <strong>{label ?? 'Without a label'}</strong>
        <br />
        <code class="quiet">{shortId(token)}</code>
      </>
    ),
  },
  { title: 'Provider', cell: ({ provider_id: id }) => <code>{id}</code> },
  { title: 'Scopes', cell: ({ scopes }) => scopes.length > 0 && <code>{scopes.join(' ')}</code> },
  { title: 'Connected', cell: ({ created_at: at }) => <Time at={at} /> },
];

/** The own tokens that an agent may act with. */
export function AgentConnections({ providers }: { providers: readonly Provider[] }) {
  const [search, change] = useParameters();
  const agent = search.get('agent') ?? '';
  const canWrite = useCan('tokens:write') === true;
  const provider = useProvider(providers);
  const [isNew, setNew] = useState(false);
  return (
    <Section
      id="agents"
      title="Agents’ connections"
      beside={
        canWrite &&
        agent !== '' &&
        provider !== undefined && (
          <button type="button" onClick={() => setNew(true)}>
            Connect
          </button>
        )
      }
    >
      <search class="filters" aria-label="Agent">
        <SearchField
          label="Agent id"
          placeholder="Agent id"
          text={agent}
          set={(text) => change({ agent: text.trim() })}
        />
      </search>
      {agent === '' ? (
        <Empty title="Enter an agent’s id to see which of your tokens it acts with." />
      ) : (
        <OfAgent agent={agent} canWrite={canWrite} />
      )}
      {isNew && provider !== undefined && (
        <Connect agent={agent} provider={provider} onClose={() => setNew(false)} />
      )}
    </Section>
  );
}

function OfAgent({ agent, canWrite }: { agent: string; canWrite: boolean }) {
  const { data, error, refetch } = useAnswer('GET /v2/auth/agents/{agent_id}/connections', {
    params: { agent_id: agent },
  });
  const [open, setOpen] = useState<Connection>();
  const actions = (connection: Connection) => (
    <button
      type="button"
      class="danger"
      aria-label={`Disconnect ${connection.provider_account_label ?? connection.provider_id}`}
      onClick={() => setOpen(connection)}
    >
      Disconnect
    </button>
  );
  return (
    <>
      <ListOf
        list={{ rows: data?.data, error, refetch }}
        empty={<Empty title="This agent acts with none of your tokens." />}
      >
        {(rows) => (
          <Table
            label="Connections"
            rows={rows}
            keyOf={({ id }) => id}
            columns={columns}
            actions={canWrite ? actions : undefined}
          />
        )}
      </ListOf>
      {open !== undefined && (
        <Disconnect agent={agent} connection={open} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

type ConnectProps = { agent: string; provider: Provider; onClose: () => void };

function Connect({ agent, provider, onClose }: ConnectProps) {
  const { data: tokens = [] } = useTokens(provider);
  const [chosen, setChosen] = useState('');
  return (
    <ActionDialog
      title={`Connect ${agent}`}
      verb="Connect"
      isReady={chosen !== ''}
      endpoint="POST /v2/auth/agents/{agent_id}/connections"
      parts={{ params: { agent_id: agent }, body: { oauth_token_id: chosen } }}
      onClose={onClose}
    >
      <ChoiceField
        label={`Your token of ${provider.name}`}
        of="oauth_token_id"
        hint="Choose another provider above to connect a token of it."
        value={chosen}
        set={setChosen}
        choices={[
          ['', 'Choose one'],
          ...tokens.map(
            ({ id, provider_account_label: label, scopes }) =>
              [id, `${label ?? shortId(id)} ${scopes.join(' ')}`] as const,
          ),
        ]}
      />
    </ActionDialog>
  );
}

type DisconnectProps = { agent: string; connection: Connection; onClose: () => void };

const Disconnect = ({ agent, connection, onClose }: DisconnectProps) => (
  <ActionDialog
    title={`Disconnect ${agent}?`}
    verb="Disconnect"
    isDanger
    endpoint="DELETE /v2/auth/agents/{agent_id}/connections/{connection_id}"
    parts={{ params: { agent_id: agent, connection_id: connection.id } }}
    onClose={onClose}
  >
    <p>The agent can no longer use this token. The token itself is kept.</p>
  </ActionDialog>
);
