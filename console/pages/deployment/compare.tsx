import { useQuery } from '@tanstack/preact-query';
import type { Deployment, Revision } from '../../../lib/client/endpoints.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import { ask } from '../../data/api.ts';
import { useRevision, useRevisions } from '../../data/queries.ts';
import { useHead } from '../../data/source.ts';
import { betweenUrl, comparisonOf, type Group } from '../../logic/comparison.ts';
import type { Change } from '../../logic/difference.ts';
import { described, makerOf, standingOf, titleOf } from '../../logic/revision-list.ts';
import { isFromGit } from '../../logic/source.ts';
import { Face } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { externalLink } from '../../ui/icons.ts';
import { useParameters } from '../../ui/parameters.ts';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { Sha } from './commit.tsx';
import { StandingState } from './revision-row.tsx';

/** A revision by its number, with what it is built and run with. */
function useNumbered({ id, latest_revision_id: latest }: Deployment, number: number | undefined) {
  const offset = number === undefined ? 0 : numberOf(latest) - number;
  const found = useQuery({
    queryKey: ['deployment', id, 'numbered', number],
    enabled: number !== undefined && offset >= 0,
    queryFn: async ({ signal }) => {
      const params = { deployment_id: id };
      const query = { limit: 1, offset };
      const { resources } = await ask(
        'GET /v2/deployments/{deployment_id}/revisions',
        { params, query },
        signal,
      );
      return resources[0] ?? null;
    },
  });
  const whole = useRevision(id, found.data?.id ?? null);
  return {
    revision: whole.data,
    error: found.error ?? whole.error,
    isNone: found.data === null || offset < 0,
  };
}

const numberIn = (text: string | null): number | undefined =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;

/** Two revisions beside each other; which ones stands in the address by their numbers. */
export function Compare({ deployment }: { deployment: Deployment }) {
  const [search, change] = useParameters();
  const newest = numberOf(deployment.latest_revision_id);
  const to = numberIn(search.get('to')) ?? newest;
  const from = numberIn(search.get('from')) ?? Math.max(1, to - 1);
  const [before, after] = [useNumbered(deployment, from), useNumbered(deployment, to)];
  const error = before.error ?? after.error;
  return (
    <>
      <div class="line tools-line">
        <h2>Compare</h2>
        <Chooser
          deployment={deployment}
          label="From revision"
          number={from}
          set={(value) => change({ from: value })}
        />
        <span class="dim">with</span>
        <Chooser
          deployment={deployment}
          label="To revision"
          number={to}
          set={(value) => change({ to: value })}
        />
        <Button kind="quiet" isSmall onClick={() => change({ from: String(to), to: String(from) })}>
          Swap
        </Button>
      </div>
      {error !== null && <Problem error={error} />}
      {(before.isNone || after.isNone) && (
        <Empty title={`This deployment has the revisions 1 to ${newest}`} picture="search" />
      )}
      {error === null && !before.isNone && !after.isNone && (
        <>
          {before.revision === undefined || after.revision === undefined ? (
            <Skeleton rows={8} />
          ) : (
            <Both deployment={deployment} from={before.revision} to={after.revision} />
          )}
        </>
      )}
    </>
  );
}

type ChooserProps = { deployment: Deployment; label: string; number: number; set: (number: string) => void };

function Chooser({ deployment: { id }, label, number, set }: ChooserProps) {
  const list = useRevisions(id);
  const listed = (list.data?.pages.flatMap(({ resources }) => resources) ?? []).map((each) => ({
    value: String(numberOf(each.id)),
    title: `${numberOf(each.id)} · ${titleOf(each)}`,
  }));
  const own = { value: String(number), title: String(number) };
  const options = listed.some(({ value }) => value === own.value) ? listed : [own, ...listed];
  return <Choice isSmall label={label} value={own.value} options={options} onChange={set} />;
}

const titles: Record<Group, string> = {
  source: 'Source',
  configuration: 'Configuration',
  secrets: 'Secrets',
  resources: 'Resources',
  durations: 'How long it took',
};
const groups = ['source', 'configuration', 'secrets', 'resources', 'durations'] as const;

function Both({ deployment, from, to }: { deployment: Deployment; from: Revision; to: Revision }) {
  const { data: head } = useHead(deployment.id, isFromGit(deployment));
  const comparison = comparisonOf(from, to, Date.now());
  const url = betweenUrl(head?.compare_template, from, to);
  return (
    <>
      <div class="two">
        {[from, to].map((revision, index) => (
          <About
            key={`${index} ${revision.id}`}
            revision={described(revision, head)}
            deployment={deployment}
            commitUrl={head?.commit_url}
          />
        ))}
      </div>
      {groups
        .filter((group) => comparison[group].length > 0)
        .map((group) => (
          <Card
            key={group}
            title={titles[group]}
            beside={
              group === 'source' &&
              url !== null && (
                <ButtonLink kind="quiet" isSmall icon={externalLink} href={url} isOutside>
                  See the commits between
                </ButtonLink>
              )
            }
          >
            <Changes {...{ from, to }} changes={comparison[group]} isPlain={group === 'durations'} />
          </Card>
        ))}
      <Same groups={groups.filter((group) => comparison[group].length === 0)} />
    </>
  );
}

type AboutProps = { revision: Revision; deployment: Deployment; commitUrl: string | null | undefined };

function About({ revision, deployment, commitUrl }: AboutProps) {
  const maker = makerOf(revision);
  return (
    <Card
      title={`Revision ${numberOf(revision.id)}`}
      beside={
        <ButtonLink kind="quiet" isSmall href={`/deployments/${deployment.id}/revisions/${revision.id}`}>
          Open
        </ButtonLink>
      }
    >
      <div class="body">
        <StandingState of={standingOf(revision, deployment)} />
        <p>{titleOf(revision)}</p>
        <p class="line tight dim">
          {maker !== null && (
            <>
              <Face name={maker} />
              <span class="cut">{maker}</span>
            </>
          )}
          <Sha sha={revision.source_revision_config.repo_commit_sha} template={commitUrl} />
          <span class="meta">
            <Time at={revision.created_at} />
          </span>
        </p>
      </div>
    </Card>
  );
}

/** In what they do not differ, in one sentence. */
function Same({ groups: same }: { groups: readonly Group[] }) {
  if (same.length === 0) return null;
  return <p class="dim">The same in both: {same.map((group) => titles[group].toLowerCase()).join(', ')}.</p>;
}

type ChangesProps = { from: Revision; to: Revision; changes: readonly Change[]; isPlain: boolean };

/** What differs, as a table; `isPlain`: in words, not in code. */
function Changes({ from, to, changes, isPlain }: ChangesProps) {
  return (
    <table class="difference">
      <thead>
        <tr>
          <th scope="col">
            <span class="sr">What</span>
          </th>
          <th scope="col">Revision {numberOf(from.id)}</th>
          <th scope="col">Revision {numberOf(to.id)}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ what, from: before, to: after }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            {[before, after].map((value, index) => (
              <td key={index}>
                {value === null && <span class="dim">none</span>}
                {value !== null && (isPlain ? value : <code>{value}</code>)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
