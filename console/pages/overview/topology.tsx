import { Link } from 'wouter-preact';
import type { Deployment, Listener } from '../../../lib/client/endpoints.ts';
import { useAll } from '../../data/lists.ts';
import {
  BOX,
  columnAt,
  type Edge,
  fitted,
  lineOf,
  type Node,
  type Topology as Picture,
  topologyOf,
  WIDTH,
} from '../../logic/topology.ts';
import { Card } from '../../ui/card.tsx';
import { ListOf } from '../../ui/list-of.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Problem } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';

/** Who talks to what, in one picture and as a table. */
export function Topology() {
  const deployments = useAll('GET /v2/deployments', {});
  const listeners = useAll('GET /v2/listeners', {});
  return (
    <Page title="Topology" permissions={['listeners:read']}>
      {deployments.error !== null && <Problem error={deployments.error} />}
      <ListOf
        list={{ ...listeners, rows: deployments.data === undefined ? undefined : listeners.data }}
        empty={
          <Empty title="Nothing runs yet" picture="deploy">
            <p class="dim">Once a listener starts, it is shown here with what it runs.</p>
          </Empty>
        }
      >
        {(rows) => <Shown deployments={deployments.data ?? []} listeners={rows} />}
      </ListOf>
    </Page>
  );
}

function Shown({
  deployments,
  listeners,
}: {
  deployments: readonly Deployment[];
  listeners: readonly Listener[];
}) {
  const topology = topologyOf(deployments, listeners);
  return (
    <>
      <Card title="Who talks to what">
        <div class="topology" tabIndex={0} role="group" aria-label="Picture of who talks to what">
          <Drawn of={topology} />
        </div>
      </Card>
      <Table
        label="Who talks to what"
        rows={topology.edges}
        keyOf={({ from, to }) => `${from.id} ${to.id}`}
        columns={[
          { title: 'Who', cell: ({ from }) => <Named of={from} /> },
          { title: 'Does', cell: ({ says }) => <span class="dim">{says}</span> },
          { title: 'What', cell: ({ to }) => <Named of={to} /> },
        ]}
      />
    </>
  );
}

const Named = ({ of: { title, href } }: { of: Node }) =>
  href === undefined ? (
    <span>{title}</span>
  ) : (
    <Link class="row-link" href={href}>
      {title}
    </Link>
  );

const Drawn = ({ of: { nodes, edges, columns, height } }: { of: Picture }) => (
  <svg viewBox={`0 0 ${WIDTH} ${height}`} width={WIDTH} height={height} aria-hidden="true">
    {columns.map((title, at) => (
      <text key={title} class="column" x={columnAt(at)} y="16">
        {title}
      </text>
    ))}
    {edges.map((edge) => (
      <Line key={`${edge.from.id} ${edge.to.id}`} edge={edge} />
    ))}
    {nodes.map((node) => (
      <Box key={node.id} node={node} />
    ))}
  </svg>
);

const Line = ({ edge }: { edge: Edge }) => (
  <path
    class={edge.from.tone === 'warn' || edge.to.tone === 'warn' ? 'wire broken' : 'wire'}
    d={lineOf(edge)}
  />
);

const Box = ({ node: { title, under, tone, x, y } }: { node: Node }) => (
  <g class={`box ${tone}`} transform={`translate(${x} ${y})`}>
    <title>{title}</title>
    <rect width={BOX.width} height={BOX.height} rx="6" />
    <circle cx="14" cy="18" r="4" />
    <text x="26" y="22">
      {fitted(title)}
    </text>
    <text class="under" x="26" y="38">
      {fitted(under, 'under')}
    </text>
  </g>
);
