import { useState } from 'preact/hooks';
import type { Answer } from '../../../lib/client/endpoints.ts';
import { useAnswer } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import type { Provider } from '../../logic/provider.ts';
import { shortId } from '../../logic/short-id.ts';
import { ListOf } from '../../ui/list-of.tsx';
import { Section } from '../../ui/page.tsx';
import { useParameters } from '../../ui/parameters.ts';
import { Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AskConsent } from './consent-dialog.tsx';
import { ChangeToken, DeleteAllTokens, DeleteToken, ImportToken } from './token-dialogs.tsx';

export type Token = Answer<'GET /v2/auth/tokens'>[number];

/** The provider that the address names, else the first. */
export function useProvider(providers: readonly Provider[]): Provider | undefined {
  const [search] = useParameters();
  const asked = search.get('provider');
  return providers.find(({ provider_id: id }) => id === asked) ?? providers[0];
}

export const useTokens = (provider: Provider | undefined) =>
  useAnswer(
    'GET /v2/auth/tokens',
    { query: { provider_id: provider?.provider_id ?? '' } },
    provider !== undefined,
  );

const columns: Column<Token>[] = [
  {
    title: 'Account',
    cell: ({ provider_account_label: label, is_default: isDefault, id }) => (
      <>
        <strong>{label ?? 'Without a label'}</strong> {isDefault && <span class="badge">Default</span>}
        <br />
        <code class="quiet">{shortId(id)}</code>
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status of={status} /> },
  { title: 'For the user', cell: ({ user_id: user }) => user },
  { title: 'For the agent', cell: ({ agent_id: agent }) => agent },
  { title: 'Scopes', cell: ({ scopes }) => scopes.length > 0 && <code>{scopes.join(' ')}</code> },
  {
    title: 'Access token ends',
    cell: ({ expires_at: at, has_refresh_token: isRenewed }) => (
      <>
        {at === null ? 'Unknown' : <Time at={at} />}
        {isRenewed && <span class="quiet small">, renewed by itself</span>}
      </>
    ),
  },
  { title: 'Granted', cell: ({ created_at: at }) => <Time at={at} /> },
];

type Open =
  | { kind: 'consent' | 'import' | 'all'; provider: Provider }
  | { kind: 'change' | 'delete'; token: Token };

/** What who is signed in has granted at a provider. Nobody sees those of others, and nobody the tokens. */
export function Tokens({ providers }: { providers: readonly Provider[] }) {
  const provider = useProvider(providers);
  const { data, error, refetch } = useTokens(provider);
  const canWrite = useCan('tokens:write');
  const [open, setOpen] = useState<Open>();
  return (
    <Section
      id="tokens"
      title="Your tokens"
      beside={canWrite && provider !== undefined && <Begin provider={provider} setOpen={setOpen} />}
    >
      <p class="quiet small">What you have granted at a provider, for agents to act with. Only you see it.</p>
      {provider === undefined ? (
        <Empty title="No provider to grant access at yet" />
      ) : (
        <>
          <ProviderFilter providers={providers} provider={provider} />
          <ListOf
            list={{ rows: data, error, refetch }}
            empty={<Empty title="You have granted nothing there." />}
          >
            {(rows) => (
              <Table
                label="Your tokens"
                rows={rows}
                keyOf={({ id }) => id}
                columns={columns}
                actions={canWrite ? (token) => <TokenActions token={token} setOpen={setOpen} /> : undefined}
              />
            )}
          </ListOf>
        </>
      )}
      {open !== undefined && <Dialogs open={open} onClose={() => setOpen(undefined)} />}
    </Section>
  );
}

type FilterProps = { providers: readonly Provider[]; provider: Provider };

function ProviderFilter({ providers, provider }: FilterProps) {
  const [, change] = useParameters();
  return (
    <search class="filters" aria-label="Provider of tokens">
      <select
        aria-label="Provider"
        value={provider.provider_id}
        onChange={({ currentTarget: { value } }) => change({ provider: value })}
      >
        {providers.map(({ provider_id: id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </search>
  );
}

function Dialogs({ open, onClose }: { open: Open; onClose: () => void }) {
  switch (open.kind) {
    case 'consent':
      return <AskConsent provider={open.provider} onClose={onClose} />;
    case 'import':
      return <ImportToken provider={open.provider} onClose={onClose} />;
    case 'all':
      return <DeleteAllTokens provider={open.provider} onClose={onClose} />;
    case 'change':
      return <ChangeToken token={open.token} onClose={onClose} />;
    default:
      return <DeleteToken token={open.token} onClose={onClose} />;
  }
}

const Begin = ({ provider, setOpen }: { provider: Provider; setOpen: (open: Open) => void }) => (
  <div class="row-actions">
    <button type="button" class="danger" onClick={() => setOpen({ kind: 'all', provider })}>
      Delete all
    </button>
    <button type="button" onClick={() => setOpen({ kind: 'import', provider })}>
      Import
    </button>
    <button type="button" onClick={() => setOpen({ kind: 'consent', provider })}>
      Grant access
    </button>
  </div>
);

function TokenActions({ token, setOpen }: { token: Token; setOpen: (open: Open) => void }) {
  const name = token.provider_account_label ?? shortId(token.id);
  return (
    <>
      <button
        type="button"
        aria-label={`Change the token ${name}`}
        onClick={() => setOpen({ kind: 'change', token })}
      >
        Change
      </button>
      <button
        type="button"
        class="danger"
        aria-label={`Delete the token ${name}`}
        onClick={() => setOpen({ kind: 'delete', token })}
      >
        Delete
      </button>
    </>
  );
}
