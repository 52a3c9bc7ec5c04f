import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useAttention, useNewest } from '../../data/activity.ts';
import { useCan } from '../../data/permissions.ts';
import { useDeployments } from '../../data/queries.ts';
import { countsOf, groups, groupWords, standingOf } from '../../logic/standing.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Feed } from '../../ui/feed.tsx';
import { listFilter } from '../../ui/icons.ts';
import { LoadMore } from '../../ui/load-more.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf, useParameters } from '../../ui/parameters.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Pills } from '../../ui/tabs.tsx';
import { DeploymentList } from '../deployment-list.tsx';
import { NewDeployment, NothingDeployed, useWhole } from '../deployments.tsx';
import { Attention } from './attention.tsx';

/** The first page: what needs somebody, every deployment, and what happened. */
export function Overview() {
  const attention = useAttention();
  return (
    <Page
      title="Overview"
      permissions={['deployments:read']}
      isBusy={attention.isFetching}
      beside={<NewDeployment />}
    >
      <div class="split">
        <div>
          {attention.error !== null && attention.data === undefined && (
            <Problem error={attention.error} retry={() => void attention.refetch()} />
          )}
          <Attention />
          <All />
        </div>
        <Newest />
      </div>
    </Page>
  );
}

function All() {
  const [search, change] = useParameters();
  const name = search.get('name') ?? '';
  const group = oneOf(groups, search.get('show'));
  const list = useDeployments({ name, status: '' });
  useWhole(list, group !== '');
  const all = list.data?.pages.flatMap(({ resources }) => resources);
  const shown = group === '' ? all : all?.filter((each) => standingOf(each).group === group);
  const counts = countsOf(all ?? []);
  // What is on pages that are not loaded is in no group yet.
  const isWhole = !list.hasNextPage;
  if (all?.length === 0 && name === '')
    return (
      <Card title="Deployments">
        <NothingDeployed />
      </Card>
    );
  return (
    <Card
      title="Deployments"
      filters={
        <span class="wide">
          <Pills
            label="Show"
            value={group === '' ? 'all' : group}
            onChange={(value) => change({ show: value === 'all' ? '' : value })}
            options={(['all', ...groups] as const).map((value) => ({
              value,
              title: groupWords[value],
              count: all !== undefined && isWhole ? counts[value] : undefined,
            }))}
          />
        </span>
      }
      beside={<Search name={name} set={(text) => change({ name: text })} />}
    >
      {list.error !== null && <Problem error={list.error} retry={() => void list.refetch()} />}
      {shown === undefined && list.error === null && <Skeleton />}
      {shown !== undefined && shown.length > 0 && <DeploymentList deployments={shown} />}
      {shown?.length === 0 && isWhole && (
        <Empty
          title={
            group === '' ? 'No deployment matches' : `No deployment is ${groupWords[group].toLowerCase()}`
          }
        >
          <Button onClick={() => change({ name: '', show: '' })}>Clear the filter</Button>
        </Empty>
      )}
      {group === '' && <LoadMore list={list} />}
    </Card>
  );
}

/** A field that comes where its button was. */
function Search({ name, set }: { name: string; set: (name: string) => void }) {
  const [isOpen, setOpen] = useState<'asked' | 'address' | undefined>(name === '' ? undefined : 'address');
  if (isOpen === undefined)
    return (
      <Button kind="quiet" isSmall icon={listFilter} data-search onClick={() => setOpen('asked')}>
        Filter
      </Button>
    );
  return (
    <search>
      <SearchField
        label="Name contains"
        placeholder="Filter by name"
        text={name}
        set={set}
        isFocused={isOpen === 'asked'}
      />
    </search>
  );
}

/** Asked for once the list is there, which people come for. */
function Newest() {
  const canRead = useCan('events:read') === true;
  const { data: first } = useDeployments({ name: '', status: '' });
  const { data } = useNewest(canRead && first !== undefined);
  if (data === undefined || data.resources.length === 0) return <aside aria-label="Activity" />;
  return (
    <aside aria-label="Activity">
      <div class="line">
        <h2>Activity</h2>
        <Link class="link push" href="/activity">
          See all
        </Link>
      </div>
      <Feed entries={data.resources} />
    </aside>
  );
}
