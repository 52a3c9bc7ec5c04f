import { Link } from 'wouter-preact';
import type { ListedDeployment } from '../../lib/client/endpoints.ts';
import { isEmptyFirst } from '../../lib/client/revision.ts';
import { useCan } from '../data/permissions.ts';
import { useDeployments } from '../data/queries.ts';
import { shortCommit } from '../logic/difference.ts';
import { sourceWord } from '../logic/source.ts';
import { lookOf, servingStatuses } from '../logic/status.ts';
import { focusSearch, moveRow, useKeys } from '../ui/keys.ts';
import { LoadMore } from '../ui/load-more.tsx';
import { oneOf, useParameters } from '../ui/parameters.ts';
import { Reason } from '../ui/reason.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { NewestStatus, Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { useTitle } from '../ui/title.ts';

/** All deployments: what serves, what the newest revision came to, and from where. */
export function Deployments() {
  useTitle('Deployments');
  const [search, change] = useParameters();
  const filters = { name: search.get('name') ?? '', status: oneOf(servingStatuses, search.get('status')) };
  const list = useDeployments(filters);
  const canWrite = useCan('deployments:write');
  const set = (field: string, value: string) => change({ [field]: value });
  useKeys({ j: () => moveRow(1), k: () => moveRow(-1), '/': focusSearch });
  const shown = list.data?.pages.flatMap(({ resources }) => resources);
  const isFiltered = filters.name !== '' || filters.status !== '';
  return (
    <main id="main" aria-busy={list.isFetching}>
      <header class="page-head">
        <h1>Deployments</h1>
        {canWrite && (
          <Link class="button primary" href="/deployments/new">
            New deployment
          </Link>
        )}
      </header>
      <Filters {...filters} set={set} />
      {list.error !== null && <Problem error={list.error} retry={() => void list.refetch()} />}
      {shown === undefined && list.error === null && <Skeleton />}
      {shown?.length === 0 &&
        (isFiltered ? (
          <NoMatch clear={() => change({ name: '', status: '' })} />
        ) : (
          <None canWrite={canWrite === true} />
        ))}
      {shown !== undefined && shown.length > 0 && <List deployments={shown} />}
      <LoadMore list={list} />
    </main>
  );
}

function Filters({
  name,
  status,
  set,
}: {
  name: string;
  status: string;
  set: (field: string, value: string) => void;
}) {
  return (
    <search class="filters">
      <SearchField
        label="Name contains"
        placeholder="Filter by name"
        text={name}
        set={(text) => set('name', text)}
      />
      <select
        aria-label="Status"
        value={status}
        onChange={({ currentTarget }) => set('status', currentTarget.value)}
      >
        <option value="">Any status</option>
        {servingStatuses.map((one) => (
          <option key={one} value={one}>
            {lookOf(one).word}
          </option>
        ))}
      </select>
    </search>
  );
}

const NoMatch = ({ clear }: { clear: () => void }) => (
  <Empty title="No deployment matches.">
    <button type="button" onClick={clear}>
      Clear the filters
    </button>
  </Empty>
);

const None = ({ canWrite }: { canWrite: boolean }) => (
  <Empty title="Nothing is deployed yet.">
    <p class="quiet">A deployment is made of a git repository or of a folder on your machine.</p>
    {canWrite && (
      <Link class="button primary" href="/deployments/new">
        New deployment
      </Link>
    )}
  </Empty>
);

const List = ({ deployments }: { deployments: ListedDeployment[] }) => (
  <table class="list">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Status</th>
        <th scope="col">Newest revision</th>
        <th scope="col">Source</th>
        <th scope="col">Changed</th>
      </tr>
    </thead>
    <tbody>
      {deployments.map((each) => (
        <Row key={each.id} deployment={each} />
      ))}
    </tbody>
  </table>
);

function Row({ deployment }: { deployment: ListedDeployment }) {
  const { id, name, display_name, status, url, latest_revision: newest } = deployment;
  return (
    <tr>
      <th scope="row">
        <Link class="row-link" href={`/deployments/${id}`} data-row>
          {display_name ?? name}
        </Link>
        {url !== null && (
          <a class="url" href={url} target="_blank" rel="noreferrer">
            {url.replace(/^https?:\/\//, '')}
          </a>
        )}
      </th>
      <td>
        <Status of={status} />
      </td>
      <td>
        <NewestStatus of={newest} />
        {typeof newest?.status_message === 'string' && !isEmptyFirst(newest) && (
          <span class="reason-text">
            <Reason of={newest.status_message} />
          </span>
        )}
      </td>
      <td>
        <SourceOf deployment={deployment} />
      </td>
      <td>
        <Time at={newest?.updated_at ?? deployment.updated_at} />
      </td>
    </tr>
  );
}

function SourceOf({ deployment }: { deployment: ListedDeployment }) {
  const { source_revision_config: at } = deployment;
  const word = sourceWord(deployment);
  if (at.image_uri !== null) return <code class="cut">{at.image_uri}</code>;
  if (word !== null) return <span class="quiet">{word}</span>;
  return (
    <>
      <code>{at.repo_ref ?? 'main'}</code> <code class="quiet">{shortCommit(at.repo_commit_sha)}</code>
    </>
  );
}
