import { useEffect } from 'preact/hooks';
import { useCan } from '../data/permissions.ts';
import { useDeployments } from '../data/queries.ts';
import { lookOf, servingStatuses } from '../logic/status.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { plus } from '../ui/icons.ts';
import { LoadMore } from '../ui/load-more.tsx';
import { Page } from '../ui/page.tsx';
import { oneOf, useParameters } from '../ui/parameters.ts';
import { SearchField } from '../ui/search-field.tsx';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { DeploymentList } from './deployment-list.tsx';

/** All deployments: how each stands, what its newest revision came to, and what is asked of it. */
export function Deployments() {
  const [search, change] = useParameters();
  const filters = { name: search.get('name') ?? '', status: oneOf(servingStatuses, search.get('status')) };
  const list = useDeployments(filters);
  const shown = list.data?.pages.flatMap(({ resources }) => resources);
  const isFiltered = filters.name !== '' || filters.status !== '';
  const set = (field: string, value: string) => change({ [field]: value });
  return (
    <Page
      title="Deployments"
      permissions={['deployments:read']}
      isBusy={list.isFetching}
      beside={<NewDeployment />}
    >
      <Filters {...filters} set={set} />
      {list.error !== null && <Problem error={list.error} retry={() => void list.refetch()} />}
      {shown === undefined && list.error === null && <Skeleton />}
      {shown?.length === 0 &&
        (isFiltered ? (
          <Empty title="No deployment matches" picture="search">
            <button type="button" onClick={() => change({ name: '', status: '' })}>
              Clear the filters
            </button>
          </Empty>
        ) : (
          <NothingDeployed />
        ))}
      {shown !== undefined && shown.length > 0 && (
        <div class="card">
          <DeploymentList deployments={shown} />
        </div>
      )}
      <LoadMore list={list} />
    </Page>
  );
}

function Filters({
  name,
  status,
  set,
}: {
  name: string;
  status: (typeof servingStatuses)[number] | '';
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
      <Choice
        label="Status"
        value={status === '' ? 'any' : status}
        options={[
          { value: 'any', title: 'Any status' },
          ...servingStatuses.map((one) => ({ value: one, title: lookOf(one).word })),
        ]}
        onChange={(value) => set('status', value === 'any' ? '' : value)}
      />
    </search>
  );
}

/** Begins a new one, for who may. */
export function NewDeployment() {
  return useCan('deployments:write') === true ? (
    <ButtonLink kind="primary" icon={plus} href="/deployments/new">
      New deployment
    </ButtonLink>
  ) : null;
}

/** Nothing is there: what a deployment is made of. */
export const NothingDeployed = () => (
  <Empty title="Nothing is deployed yet" picture="deploy">
    <p class="dim">Deploy a git repository, or a folder on your machine.</p>
    <NewDeployment />
  </Empty>
);

/** Goes on to the last page while somebody looks at a part of the list: what is in it is known only then. */
export function useWhole(
  list: Pick<ReturnType<typeof useDeployments>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>,
  isWanted: boolean,
): void {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  useEffect(() => {
    if (isWanted && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isWanted, hasNextPage, isFetchingNextPage]);
}
