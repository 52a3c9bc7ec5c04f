import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Deployment } from '../../../lib/client/endpoints.ts';
import { type Metrics, useMetrics } from '../../data/metrics.ts';
import { amount, latency, percent } from '../../logic/amount.ts';
import {
  axisOf,
  classesChart,
  errorsChart,
  furtherCharts,
  marksOf,
  percentilesChart,
  type Span,
  spanNames,
  spans,
} from '../../logic/metrics.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Charts } from '../../ui/chart.tsx';
import { Choice } from '../../ui/choice.tsx';
import { oneOf, useParameters } from '../../ui/parameters.ts';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { Missing } from './missing.tsx';

/** What was measured of a deployment, over a time that stands in the address, of all revisions or of one. */
export function MetricsTab({ deployment: { id } }: { deployment: Deployment }) {
  const [search, change] = useParameters();
  const [isTable, setTable] = useState(false);
  const span = oneOf(spanNames, search.get('span')) || 'hour';
  const { data: metrics, error, refetch } = useMetrics(id, span);
  const chosen = metrics?.revisions.find(({ number }) => String(number) === search.get('revision'));
  return (
    <>
      <div class="line tools-line">
        <Segmented
          label="How far back"
          value={span}
          onChange={(value) => change({ span: value === 'hour' ? '' : value })}
          options={spanNames.map((value) => ({ value, title: spans[value].title }))}
        />
        {metrics !== undefined && metrics.revisions.length > 0 && (
          <Choice
            isSmall
            label="Revision"
            value={chosen === undefined ? '' : String(chosen.number)}
            options={[
              { value: '', title: 'All revisions' },
              ...metrics.revisions.map(({ number }) => ({
                value: String(number),
                title: `Revision ${number}`,
              })),
            ]}
            onChange={(revision) => change({ revision })}
          />
        )}
        <span class="push" />
        <Button kind="quiet" isSmall aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as charts' : 'Show as table'}
        </Button>
      </div>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {metrics === undefined && error === null && <Skeleton rows={8} />}
      {metrics !== undefined && (
        <>
          <All
            {...{ id, metrics, isTable }}
            points={chosen?.points ?? metrics.total}
            words={spans[metricsSpan(metrics) ?? span].words}
          />
          <ByRevision id={id} metrics={metrics} />
        </>
      )}
    </>
  );
}

/** Old numbers stay while new ones come: what is shown is of the span that they were asked for. */
const metricsSpan = ({ step }: Metrics): Span | undefined =>
  spanNames.find((name) => spans[name].step === step);

const ofTraffic = ['requests', 'latency'] as const;
const ofServers = ['streams', 'bytes', 'servers', 'restarts', 'cpu', 'memory', 'runs'] as const;

type AllProps = {
  id: string;
  metrics: Metrics;
  isTable: boolean;
  points: Metrics['total'];
  words: string;
};

function All({ id, metrics, isTable, points, words }: AllProps) {
  const axis = axisOf(metrics);
  const look = { axis, points, words };
  const marks = marksOf(id, metrics.deploys);
  const further = furtherCharts(look);
  return (
    <>
      <Card title="Traffic" meta={words}>
        <Charts
          {...{ axis, marks, isTable }}
          charts={[classesChart(look), errorsChart(look), percentilesChart(look)]}
        />
        <Missing metrics={metrics} of={further.length > 0 ? ofTraffic : undefined} />
      </Card>
      {further.length > 0 && (
        <Card title="Servers and runs" meta={words}>
          <Charts {...{ axis, marks, isTable }} charts={further} />
          <Missing metrics={metrics} of={ofServers} />
        </Card>
      )}
    </>
  );
}

/** The revisions that served in this time, beside each other. */
function ByRevision({ id, metrics: { revisions } }: { id: string; metrics: Metrics }) {
  if (revisions.length === 0) return null;
  return (
    <Card title="By revision">
      <div class="chart-table">
        <table>
          <thead>
            <tr>
              <th scope="col">Revision</th>
              {['Requests', 'Errors', 'p50', 'p95', 'p99'].map((title) => (
                <th key={title} scope="col" class="num">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {revisions.map(({ revision_id: revision, number, total: { requests, latency: took } }) => (
              <tr key={revision}>
                <th scope="row">
                  <Link class="link" href={`/deployments/${id}/revisions/${revision}`}>
                    {number}
                  </Link>
                </th>
                <td class="num">{requests === null ? '–' : amount(requests.all)}</td>
                <td class="num">
                  {requests === null || requests.all === 0 ? '–' : percent(requests.failed / requests.all)}
                </td>
                {([took?.p50_ms, took?.p95_ms, took?.p99_ms] as const).map((value, index) => (
                  <td key={index} class="num">
                    {value === null || value === undefined ? '–' : latency(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
