import { useEffect, useRef, useState } from 'preact/hooks';
import type { Deployment, Revision } from '../../../lib/client/endpoints.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import { useCan } from '../../data/permissions.ts';
import { type RevisionFilters, useRevision, useRevisions } from '../../data/queries.ts';
import { useHead } from '../../data/source.ts';
import {
  type CauseFilter,
  causeNames,
  causes,
  described,
  longestOf,
  type StandingFilter,
  standingNames,
  standings,
  takersOver,
} from '../../logic/revision-list.ts';
import { isFromGit } from '../../logic/source.ts';
import { isMoving } from '../../logic/status.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { gitCompare } from '../../ui/icons.ts';
import { LoadMore } from '../../ui/load-more.tsx';
import { oneOf, useParameters } from '../../ui/parameters.ts';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Pills } from '../../ui/tabs.tsx';
import { useNow } from '../../ui/time.tsx';
import { RevisionRow } from './revision-row.tsx';

type Filters = { standing: StandingFilter | ''; by: CauseFilter | '' };

const queryOf = ({ standing, by }: Filters): RevisionFilters => ({
  ...(standing !== '' && { status: [...standings[standing].statuses] }),
  ...(by !== '' && { cause: [...causes[by].kinds] }),
});

/** What the address asks for. */
function useFilters(): [Filters, (changes: Record<string, string>) => void] {
  const [search, change] = useParameters();
  const standing = oneOf(standingNames, search.get('status'));
  return [{ standing, by: oneOf(causeNames, search.get('cause')) }, change];
}

/** Every revision of a deployment, in dense rows, narrowed by how it ended and by what made it. */
export function Revisions({ deployment }: { deployment: Deployment }) {
  const [filters, change] = useFilters();
  const list = useRevisions(deployment.id, queryOf(filters));
  const revisions = list.data?.pages.flatMap(({ resources }) => resources);
  const isFiltered = filters.standing !== '' || filters.by !== '';
  const pills = (
    <Pills
      label="Which revisions"
      value={filters.standing}
      onChange={(status) => change({ status })}
      options={[
        { value: '', title: 'All' },
        ...standingNames.map((value) => ({ value, title: standings[value].title })),
      ]}
    />
  );
  return (
    <Card
      title="Revisions"
      class="revisions"
      filters={pills}
      beside={
        <>
          <Legend />
          <Choice
            isSmall
            label="Made by"
            value={filters.by}
            options={[
              { value: '', title: 'Any cause' },
              ...causeNames.map((value) => ({ value, title: causes[value].title })),
            ]}
            onChange={(cause) => change({ cause })}
          />
          <CompareLink deployment={deployment} />
        </>
      }
    >
      <Rows deployment={deployment} revisions={revisions} />
      {list.error !== null && <Problem error={list.error} retry={() => void list.refetch()} />}
      {revisions === undefined && list.error === null && <Skeleton />}
      {revisions?.length === 0 &&
        (isFiltered ? (
          <Empty title={emptyOf(filters)} picture="search">
            <Button onClick={() => change({ status: '', cause: '' })}>Clear filter</Button>
          </Empty>
        ) : (
          <NothingYet deployment={deployment} />
        ))}
      <footer class="card-foot">
        {!isFiltered && <JumpToServing deployment={deployment} revisions={revisions} list={list} />}
        <LoadMore list={list} />
      </footer>
    </Card>
  );
}

const emptyOf = ({ standing, by }: Filters): string => {
  const what =
    standing === ''
      ? 'was made'
      : { served: 'served', failed: 'failed', moving: 'is moving', stopped: 'was stopped' }[standing];
  return `No revision ${what}${by === '' ? '' : ` by ${causes[by].title.toLowerCase()}`}`;
};

const Legend = () => (
  <span class="line tight meta wide">
    <span class="swatch queue" />
    queue <span class="swatch build" />
    build <span class="swatch deploy" />
    deploy <span class="swatch failed" />
    failed there
  </span>
);

/** Compares the newest two, where others can be chosen. */
export function CompareLink({
  deployment: { id, latest_revision_id: latest, active_revision_id: active },
}: {
  deployment: Deployment;
}) {
  const [newest, serving] = [numberOf(latest), active === null ? 0 : numberOf(active)];
  if (newest < 2) return null;
  const from = serving > 0 && serving < newest ? serving : newest - 1;
  return (
    <ButtonLink
      kind="quiet"
      isSmall
      icon={gitCompare}
      class="wide"
      href={`/deployments/${id}/compare?from=${from}&to=${newest}`}
    >
      Compare
    </ButtonLink>
  );
}

/** Rows of a list of revisions, newest first, whose bars share one scale. */
export function Rows({
  deployment,
  revisions = [],
}: {
  deployment: Deployment;
  revisions: readonly Revision[] | undefined;
}) {
  const now = useNow(revisions.some(({ status }) => isMoving(status)));
  const { data: head } = useHead(deployment.id, isFromGit(deployment));
  const listed = revisions.find(({ id }) => id === deployment.active_revision_id);
  // What serves may be far back.
  const { data: found } = useRevision(
    deployment.id,
    listed === undefined ? deployment.active_revision_id : null,
  );
  const active = listed ?? found;
  const later = takersOver(revisions);
  const longest = longestOf(revisions, now);
  if (revisions.length === 0) return null;
  return (
    <ul class="rows">
      {revisions.map((revision) => (
        <RevisionRow
          key={revision.id}
          {...{ deployment, active, longest }}
          revision={described(revision, head)}
          later={later.get(revision.id)}
          commitUrl={head?.commit_url}
        />
      ))}
    </ul>
  );
}

export function NothingYet({ deployment: { name } }: { deployment: Deployment }) {
  const canWrite = useCan('deployments:write');
  return (
    <Empty title="Nothing is deployed yet" picture="deploy">
      {canWrite === true && (
        <p class="dim">
          In the folder of its source: <code>slipway deploy --name {name}</code>
        </p>
      )}
    </Empty>
  );
}

type Pages = {
  hasNextPage: boolean;
  fetchNextPage: () => Promise<{
    data?: { pages: { resources: Revision[] }[] } | undefined;
    hasNextPage: boolean;
  }>;
};

/** Leads down to what serves, however far back that is. */
function JumpToServing({
  deployment: { active_revision_id: active },
  revisions,
  list,
}: {
  deployment: Deployment;
  revisions: readonly Revision[] | undefined;
  list: Pages;
}) {
  const [isLooking, setLooking] = useState(false);
  const button = useRef<HTMLSpanElement>(null);
  const [isWanted, setWanted] = useState(false);
  // Its row may be drawn a moment after it is known.
  useEffect(() => {
    const row = button.current?.closest('.card')?.querySelector<HTMLElement>('[data-active] [data-row]');
    if (!isWanted || row === null || row === undefined) return;
    setWanted(false);
    row.scrollIntoView({ block: 'center' });
    row.focus();
  }, [isWanted, revisions]);
  if (active === null || revisions === undefined || revisions.length < 8) return null;
  const jump = async () => {
    setLooking(true);
    let isThere = revisions.some(({ id }) => id === active);
    for (let more = list.hasNextPage; !isThere && more; ) {
      const { data, hasNextPage } = await list.fetchNextPage();
      isThere = data?.pages.at(-1)?.resources.some(({ id }) => id === active) ?? false;
      more = hasNextPage;
    }
    setLooking(false);
    setWanted(isThere);
  };
  return (
    <span ref={button}>
      <Button kind="quiet" isSmall busy={isLooking && 'Looking'} onClick={() => void jump()}>
        Jump to what serves
      </Button>
    </span>
  );
}
