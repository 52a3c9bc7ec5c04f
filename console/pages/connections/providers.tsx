import { useState } from 'preact/hooks';
import { useCan } from '../../data/permissions.ts';
import { PREFIX } from '../../data/place.ts';
import { type Provider, redirectUri } from '../../logic/provider.ts';
import { Copy } from '../../ui/copy.tsx';
import { ListOf } from '../../ui/list-of.tsx';
import { Section } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { DeleteProvider, DiscoverProvider, EditProvider } from './provider-dialogs.tsx';

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

const columns: Column<Provider>[] = [
  {
    title: 'Name',
    cell: ({ name, provider_id: id }) => (
      <>
        <strong>{name}</strong>
        <br />
        <code class="quiet">{id}</code>
      </>
    ),
  },
  { title: 'Server', cell: ({ auth_url: url }) => <code title={url}>{hostOf(url)}</code> },
  {
    title: 'Client',
    cell: ({ client_id: id, is_dynamic_client: isRegistered }) => (
      <>
        <code class="cut name" title={id}>
          {id}
        </code>
        {isRegistered && <span class="quiet small"> registered by itself</span>}
      </>
    ),
  },
  {
    title: 'Consent counts for',
    cell: ({ user_binding: binding }) => (binding === 'strict' ? 'The person who began' : 'The browser'),
  },
  {
    title: 'Redirect URI',
    cell: ({ provider_id: id, allowed_redirect_uris: [own] }) => (
      <Copy text={own ?? redirectUri(id, location.origin + PREFIX)} label="Copy the redirect URI" />
    ),
  },
  { title: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
];

type Answered = { data: Provider[] | undefined; error: Error | null; refetch: () => unknown };
type Open = { kind: 'new' } | { kind: 'discover' } | { kind: 'change' | 'delete'; provider: Provider };
type Opens = { setOpen: (open: Open) => void };

/** The authorization servers that agents get tokens from. */
export function Providers({ providers: { data, error, refetch } }: { providers: Answered }) {
  const canWrite = useCan('providers:write');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <Section id="providers" title="OAuth providers" beside={canWrite && <Begin setOpen={setOpen} />}>
      <ListOf list={{ rows: data, error, refetch }} empty={<None />}>
        {(rows) => (
          <Table
            label="OAuth providers"
            rows={rows}
            keyOf={({ id }) => id}
            columns={columns}
            actions={canWrite ? (provider) => <Actions provider={provider} setOpen={setOpen} /> : undefined}
          />
        )}
      </ListOf>
      {open?.kind === 'new' && <EditProvider onClose={close} />}
      {open?.kind === 'discover' && <DiscoverProvider onClose={close} />}
      {open?.kind === 'change' && <EditProvider provider={open.provider} onClose={close} />}
      {open?.kind === 'delete' && <DeleteProvider provider={open.provider} onClose={close} />}
    </Section>
  );
}

const None = () => (
  <Empty title="No OAuth provider is set up">
    <p class="quiet">
      With one, agents act for people at another service, with what each has granted. Administrators of the
      organization add them.
    </p>
  </Empty>
);

const Begin = ({ setOpen }: Opens) => (
  <div class="row-actions">
    <button type="button" onClick={() => setOpen({ kind: 'discover' })}>
      Add from an MCP server
    </button>
    <button type="button" onClick={() => setOpen({ kind: 'new' })}>
      New provider
    </button>
  </div>
);

const Actions = ({ provider, setOpen }: Opens & { provider: Provider }) => (
  <>
    <button
      type="button"
      aria-label={`Change ${provider.name}`}
      onClick={() => setOpen({ kind: 'change', provider })}
    >
      Change
    </button>
    <button
      type="button"
      class="danger"
      aria-label={`Delete ${provider.name}`}
      onClick={() => setOpen({ kind: 'delete', provider })}
    >
      Delete
    </button>
  </>
);
