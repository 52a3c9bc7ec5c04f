import type { Deployment } from '../../../lib/client/endpoints.ts';
import { useCan } from '../../data/permissions.ts';
import { Part } from '../../ui/part.tsx';
import { Empty, Skeleton } from '../../ui/states.tsx';
import { Compare } from './compare.tsx';
import { DeploymentFrame } from './frame.tsx';
import { Logs } from './logs.tsx';
import { Overview } from './overview.tsx';
import { Revisions } from './revisions.tsx';

const metrics = () => import('../lazy-charts.ts').then((part) => part.MetricsTab);

const tabs = {
  overview: Overview,
  revisions: Revisions,
  logs: LogsFor,
  metrics: MetricsOf,
  compare: Compare,
} as const;
const names = ['overview', 'revisions', 'logs', 'metrics', 'compare'] as const;

/** A deployment: one of its tabs. Try and Settings are pages of their own in the same frame. */
export function DeploymentPage({ id, tab }: { id: string; tab: string | undefined }) {
  const Shown = tabs[names.find((name) => name === tab) ?? 'overview'];
  return <DeploymentFrame id={id}>{(deployment) => <Shown deployment={deployment} />}</DeploymentFrame>;
}

function MetricsOf({ deployment }: { deployment: Deployment }) {
  return <Part load={metrics} meanwhile={<Skeleton rows={8} />} deployment={deployment} />;
}

function LogsFor({ deployment }: { deployment: Deployment }) {
  const canRead = useCan('logs:read');
  if (canRead === undefined) return <Skeleton />;
  if (!canRead) return <Empty title="Your role cannot read logs" />;
  return <Logs deployment={deployment} />;
}
