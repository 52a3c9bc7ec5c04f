import type { Metrics } from '../../data/metrics.ts';
import { axisOf, errorsChart, marksOf, requestsChart, slowestChart, spans } from '../../logic/metrics.ts';
import { Charts } from '../../ui/chart.tsx';
import { Missing } from './missing.tsx';

type Props = { deploymentId: string; metrics: Metrics; isTable: boolean };

/** Requests, errors and latency over the last hour. */
export function ServingCharts({ deploymentId, metrics, isTable }: Props) {
  const axis = axisOf(metrics);
  const look = { axis, points: metrics.total, words: spans.hour.words };
  return (
    <div>
      <Charts
        axis={axis}
        charts={[requestsChart(look), errorsChart(look), slowestChart(look)]}
        marks={marksOf(deploymentId, metrics.deploys)}
        isTable={isTable}
      />
      <Missing metrics={metrics} of={['requests', 'latency']} />
    </div>
  );
}
