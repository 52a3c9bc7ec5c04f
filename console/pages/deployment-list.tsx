import { Link } from 'wouter-preact';
import type { ListedDeployment } from '../../lib/client/endpoints.ts';
import { isEmptyFirst } from '../../lib/client/revision.ts';
import { amount } from '../logic/amount.ts';
import { newestLines, sourceLine, standingOf } from '../logic/standing.ts';
import { Reason } from '../ui/reason.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import { Standing } from '../ui/status.tsx';
import { ShortTime } from '../ui/time.tsx';

/** Deployments as rows: what each is called, how it stands, what is newest, and what is asked of it. */
export function DeploymentList({ deployments }: { deployments: readonly ListedDeployment[] }) {
  // Where nothing is measured the column would say nothing.
  const isMeasured = deployments.some(({ traffic }) => traffic !== null);
  return (
    <table class={isMeasured ? 'deps' : 'deps unmeasured'}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">State</th>
          <th scope="col">Newest revision</th>
          {isMeasured && <th scope="col">Requests a minute</th>}
          <th scope="col">Age</th>
        </tr>
      </thead>
      <tbody>
        {deployments.map((each) => (
          <Row key={each.id} deployment={each} isMeasured={isMeasured} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ deployment, isMeasured }: { deployment: ListedDeployment; isMeasured: boolean }) {
  const { id, name, display_name, latest_revision: newest } = deployment;
  const standing = standingOf(deployment);
  const shown = display_name ?? name;
  const source = sourceLine(deployment);
  return (
    <tr>
      <th scope="row">
        <Link class="row-link cut" href={`/deployments/${id}`} title={shown} data-row>
          {shown}
        </Link>
        <span class="meta cut wide" title={source}>
          {source}
        </span>
      </th>
      <td>
        <Standing of={standing.look} />
        <span class="meta cut">{standing.under}</span>
      </td>
      <td class="wide">
        <Newest deployment={deployment} />
      </td>
      {isMeasured && (
        <td class="traffic">
          <Traffic of={deployment.traffic} isBad={standing.group === 'failing'} />
        </td>
      )}
      <td class="meta wide">
        <ShortTime at={newest?.updated_at ?? deployment.updated_at} />
      </td>
    </tr>
  );
}

/** What the newest revision brought, or why it did not come to serve. */
function Newest({ deployment }: { deployment: ListedDeployment }) {
  const { latest_revision: newest } = deployment;
  const lines = newestLines(deployment);
  if (newest === null || lines === undefined) return null;
  const why = isEmptyFirst(newest) ? null : newest.status_message;
  return (
    <>
      <span class="cut" title={lines.title}>
        {lines.title}
      </span>
      {why === null ? (
        <span class="meta cut" title={lines.under}>
          {lines.under}
        </span>
      ) : (
        <span class="meta cut" title={why}>
          <Reason of={why} />
        </span>
      )}
    </>
  );
}

function Traffic({ of: traffic, isBad }: { of: ListedDeployment['traffic']; isBad: boolean }) {
  if (traffic === null) return null;
  const { requests, a_minute: rate } = traffic;
  const shown = rate === null ? '' : amount(rate);
  return (
    <div>
      <Sparkline
        values={requests}
        tone={isBad ? 'errors' : 'requests'}
        label={
          rate === null ? 'No requests were measured' : `Requests in the last hour: ${shown} a minute now`
        }
      />
      <span class="num">{shown}</span>
    </div>
  );
}
