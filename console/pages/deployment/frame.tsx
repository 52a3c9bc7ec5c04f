import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Deployment } from '../../../lib/client/endpoints.ts';
import { numberOf, origins } from '../../../lib/client/revision.ts';
import { useMetrics } from '../../data/metrics.ts';
import { useCan } from '../../data/permissions.ts';
import { useDeployment } from '../../data/queries.ts';
import { crashLoopIn } from '../../logic/metrics.ts';
import { ownHostOf } from '../../logic/own-host.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyIcon } from '../../ui/copy-icon.tsx';
import { circleAlert, externalLink, rocket, upload } from '../../ui/icons.ts';
import { Page } from '../../ui/page.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { DeployLatest } from './deploy-latest.tsx';
import { RollBack } from './roll-back.tsx';
import { UploadAgain } from './upload-again.tsx';

const ABOVE = { title: 'Deployments', path: '/deployments' };

type Props = {
  id: string;
  class?: string | undefined;
  /** What can be done with this tab alone, in the bar at the top. */
  beside?: ComponentChildren;
  /** The tab has a primary button of its own. */
  isPlain?: boolean;
  /** What stands below the tabs, once the deployment is known. */
  children: (deployment: Deployment) => ComponentChildren;
};

/** What stands around every tab of a deployment: its name, how it is, its address, and what is done with it. */
export function DeploymentFrame({ id, class: more = '', beside, isPlain = false, children }: Props) {
  const { data, error, refetch } = useDeployment(id);
  if (data === undefined)
    return (
      <Page title="Deployment" above={ABOVE} permissions={['deployments:read']}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} retry={() => void refetch()} />}
      </Page>
    );
  const head = {
    badge: <Standing deployment={data} />,
    under: <Addresses deployment={data} />,
    actions: <Actions deployment={data} isPlain={isPlain} />,
  };
  return (
    <Page
      title={data.display_name ?? data.name}
      above={ABOVE}
      head={head}
      beside={beside}
      permissions={['deployments:read']}
      class={more}
    >
      <Parts deployment={data} />
      {error !== null && <Problem error={error} />}
      {children(data)}
    </Page>
  );
}

/** How the deployment is, at a glance: servers that start again and again come before anything else. */
function Standing({ deployment: { id, status, active_revision_id: active } }: { deployment: Deployment }) {
  const { data: metrics } = useMetrics(id, 'hour', active !== null);
  const loop = metrics && crashLoopIn(metrics.total, Date.now());
  if (loop === undefined) return <Status of={status} isBadge />;
  return (
    <Badge tone="bad" icon={circleAlert}>
      Restarting
    </Badge>
  );
}

function Addresses({ deployment }: { deployment: Deployment }) {
  const own = ownHostOf(deployment);
  const urls = [deployment.url, own].filter((url) => url !== null);
  if (urls.length === 0)
    return <p class="dim">{deployment.active_revision_id === null ? 'No address yet' : 'Nothing answers'}</p>;
  return (
    <div class="addrs">
      {urls.map((url) => (
        <div key={url} class="addr">
          <a class="link cut" href={url} target="_blank" rel="noreferrer">
            {url.replace(/^https?:\/\//, '').replace(/\/$/, '')}
          </a>
          <CopyIcon text={url} label="Copy address" />
          <ButtonLink kind="quiet" isSmall icon={externalLink} label="Visit" href={url} isOutside />
        </div>
      ))}
    </div>
  );
}

function Actions({ deployment, isPlain }: { deployment: Deployment; isPlain: boolean }) {
  const canWrite = useCan('deployments:write');
  const [open, setOpen] = useState<'deploy' | 'back'>();
  const { source, status, active_revision_id: active } = deployment;
  if (canWrite !== true || status === 'AWAITING_DELETE') return null;
  const close = () => setOpen(undefined);
  const origin = origins[source];
  return (
    <>
      {active !== null && numberOf(active) > 1 && (
        <Button class="wide" onClick={() => setOpen('back')}>
          Roll back
        </Button>
      )}
      <Button
        kind={isPlain ? 'plain' : 'primary'}
        icon={origin === 'upload' ? upload : rocket}
        onClick={() => setOpen('deploy')}
      >
        {{ repository: 'Deploy latest', image: 'Deploy again', upload: 'Upload again' }[origin]}
      </Button>
      {open === 'back' && active !== null && (
        <RollBack deployment={deployment} activeId={active} onClose={close} />
      )}
      {open === 'deploy' &&
        (origin === 'upload' ? (
          <UploadAgain deployment={deployment} onClose={close} />
        ) : (
          <DeployLatest deployment={deployment} onClose={close} />
        ))}
    </>
  );
}

function Parts({ deployment }: { deployment: Deployment }) {
  const { id, latest_revision_id: latest, active_revision_id: active, status } = deployment;
  const canWrite = useCan('deployments:write') === true && status !== 'AWAITING_DELETE';
  const canReadLogs = useCan('logs:read') === true;
  const at = `/deployments/${id}`;
  const items = [
    { title: 'Overview', path: at },
    { title: 'Revisions', path: `${at}/revisions`, count: numberOf(latest) },
    ...(canReadLogs ? [{ title: 'Logs', path: `${at}/logs` }] : []),
    { title: 'Metrics', path: `${at}/metrics` },
    ...(canWrite && active !== null ? [{ title: 'Try', path: `${at}/try` }] : []),
    ...(canWrite ? [{ title: 'Settings', path: `${at}/settings` }] : []),
  ];
  return <Tabs label="Of this deployment" items={items} />;
}
