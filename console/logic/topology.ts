import type { Deployment, Listener } from '../../lib/client/endpoints.ts';
import { origins } from '../../lib/client/revision.ts';

/** A box of the picture; `under`: what it is, in small letters. */
export type Node = {
  id: string;
  title: string;
  under: string;
  tone: 'ok' | 'warn' | 'bad' | 'idle';
  href?: string | undefined;
  x: number;
  y: number;
};
/** Who talks to whom, and about what. */
export type Edge = { from: Node; to: Node; says: string };
export type Topology = { nodes: Node[]; edges: Edge[]; columns: string[]; height: number };

/** In units of the picture. */
export const BOX = { width: 176, height: 48 };
const GAP = { x: 48, y: 12 };
const TOP = 32;
/** So many deployments of a listener stand by their names; the rest are counted. */
const NAMED_MAX = 6;

const COLUMNS = ['Code', 'Control plane', 'Listeners', 'Servers', 'State and addresses'];
export const WIDTH = COLUMNS.length * (BOX.width + GAP.x) - GAP.x;

/** The left edge of a column. */
export const columnAt = (column: number): number => column * (BOX.width + GAP.x);

const place = (column: number, row: number) => ({
  x: columnAt(column),
  y: TOP + row * (BOX.height + GAP.y),
});

type Server = Pick<
  Deployment,
  'id' | 'name' | 'status' | 'source' | 'source_config' | 'runtime_resolved' | 'url'
>;
type Runs = Pick<Listener, 'id' | 'compute_id' | 'status'>;

/** The host of an address; undefined: it is none, or one of this machine's files. */
function hostOf(address: string | null): string | undefined {
  const ssh = /^(?:ssh:\/\/)?[^@/]+@([^:/]+)[:/]/.exec(address ?? '');
  if (ssh !== null) return ssh[1];
  return (address !== null && URL.parse(address)?.host) || undefined;
}

/** Where the code of a deployment comes from, as people say it. */
function codeOf({ source, source_config: { repo_url: repository } }: Server): string {
  if (origins[source] === 'image') return 'Images';
  if (origins[source] === 'upload') return 'Uploads';
  return hostOf(repository) ?? 'This machine';
}

const statusTone = (status: string): Node['tone'] =>
  status === 'READY' ? 'ok' : status === 'UNKNOWN' ? 'warn' : 'idle';

/** Who talks to what in a tenant: five columns of boxes, from where code comes from to where servers answer. */
export function topologyOf(deployments: readonly Server[], listeners: readonly Runs[]): Topology {
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  const add = (node: Node): Node => {
    nodes.push(node);
    return node;
  };
  const control = add({
    id: 'slipway',
    title: 'Slipway',
    under: 'API, builder, queue',
    tone: 'ok',
    ...place(1, 0),
  });
  for (const [row, code] of [...new Set(deployments.map(codeOf))].toSorted().entries()) {
    const count = deployments.filter((each) => codeOf(each) === code).length;
    const node = {
      id: `code ${code}`,
      title: code,
      under: counted(count),
      tone: 'idle',
      ...place(0, row),
    } as const;
    edges.push({ from: control, to: add(node), says: 'fetches and builds code from' });
  }
  let row = 0;
  for (const listener of listeners) row += addListener({ listener, deployments, control, row, add, edges });
  const rows = Math.max(1, ...nodes.map(({ y }) => (y - TOP) / (BOX.height + GAP.y) + 1));
  return { nodes, edges, columns: COLUMNS, height: place(0, rows).y };
}

const counted = (count: number): string => (count === 1 ? '1 deployment' : `${count} deployments`);

type Adding = {
  listener: Runs;
  deployments: readonly Server[];
  control: Node;
  row: number;
  add: (node: Node) => Node;
  edges: Edge[];
};

/** Adds a listener with what it runs from this row on, and gives how many rows that took. */
function addListener({ listener, deployments, control, row, add, edges }: Adding): number {
  const own = deployments.filter(({ source_config: { listener_id: id } }) => id === listener.id);
  const isOnline = listener.status === 'ONLINE';
  const of = add({
    id: listener.id,
    title: listener.compute_id,
    under: isOnline ? counted(own.length) : 'Offline',
    tone: isOnline ? 'ok' : 'warn',
    href: `/listeners/${listener.id}`,
    ...place(2, row),
  });
  edges.push({ from: of, to: control, says: 'asks for work from' });
  const named = own.length > NAMED_MAX ? own.slice(0, NAMED_MAX - 1) : own;
  for (const [at, each] of named.entries()) {
    const { id, name, status } = each;
    const under = status === 'READY' ? 'Serving' : status === 'UNKNOWN' ? 'Health not known' : 'Not serving';
    const node = {
      id,
      title: name,
      under,
      tone: statusTone(status),
      href: `/deployments/${id}`,
      ...place(3, row + at),
    };
    edges.push({ from: of, to: add(node), says: 'runs' });
  }
  const rest = own.length - named.length;
  if (rest > 0) {
    const more = {
      id: `more ${listener.id}`,
      title: `${rest} more`,
      under: counted(rest),
      tone: 'idle',
    } as const;
    edges.push({
      from: of,
      to: add({ ...more, href: '/deployments', ...place(3, row + named.length) }),
      says: 'runs',
    });
  }
  const ends = addEnds({ listener: of, own, row, add, edges });
  return Math.max(1, named.length + (rest > 0 ? 1 : 0), ends);
}

/** What servers keep their threads in, and the hosts that they answer at. */
function addEnds({
  listener,
  own,
  row,
  add,
  edges,
}: {
  listener: Node;
  own: readonly Server[];
  row: number;
  add: Adding['add'];
  edges: Edge[];
}): number {
  const kept = own.filter(({ runtime_resolved: runtime }) => runtime === 'durable');
  const hosts = [...new Set(own.flatMap(({ url }) => hostOf(url) ?? []))].toSorted();
  const ends: (Omit<Node, 'x' | 'y'> & { says: string })[] = hosts.map((host) => {
    const count = own.filter(({ url }) => hostOf(url) === host).length;
    const under = count === 1 ? 'Address of 1 deployment' : `Address of ${count} deployments`;
    return {
      id: `host ${listener.id} ${host}`,
      title: host,
      under,
      tone: 'idle',
      says: 'sends requests to the servers of',
    };
  });
  if (kept.length > 0) {
    const under = `Threads of ${counted(kept.length)}`;
    ends.push({
      id: `store ${listener.id}`,
      title: 'PostgreSQL',
      under,
      tone: 'idle',
      says: 'keeps threads and runs for',
    });
  }
  const shown = ends.slice(0, NAMED_MAX);
  for (const [at, { says, ...end }] of shown.entries()) {
    const node = add({ ...end, ...place(4, row + at) });
    const servers = edges
      .filter(({ from, says: what }) => from === listener && what === 'runs')
      .map(({ to }) => to);
    const wanted = end.id.startsWith('store')
      ? servers.filter(({ id }) => kept.some((each) => each.id === id))
      : servers.filter(({ id }) => own.some((each) => each.id === id && hostOf(each.url) === end.title));
    for (const server of wanted) edges.push({ from: node, to: server, says });
  }
  return shown.length;
}

/** The line between two boxes, from side to side, as the `d` of a path. */
export function lineOf({ from, to }: Edge): string {
  const [left, right] = from.x < to.x ? [from, to] : [to, from];
  const begin = [left.x + BOX.width, left.y + BOX.height / 2] as const;
  const end = [right.x, right.y + BOX.height / 2] as const;
  const middle = (begin[0] + end[0]) / 2;
  return `M${begin.join(' ')}C${middle} ${begin[1]} ${middle} ${end[1]} ${end.join(' ')}`;
}

const LETTERS_MAX = { title: 20, under: 26 } as const;

/** A name as it fits into a box; the whole of it stands in the title. */
export const fitted = (text: string, as: keyof typeof LETTERS_MAX = 'title'): string =>
  text.length > LETTERS_MAX[as] ? `${text.slice(0, LETTERS_MAX[as] - 1)}…` : text;
