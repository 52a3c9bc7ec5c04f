/** Of the development servers of agents: they show, empty and start things, and ask nobody who wants it. */
const CLOSED = ['internal', 'deploy'];

/** A text that was percent-encoded more often than this is nothing that a server takes apart. */
const DECODED_TIMES_MAX = 3;

/** Control characters and blanks, which some servers leave out or let match the end of a path. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const IGNORED = /[\x00-\x20\x7f]/g;

function decoded(path: string): string {
  let text = path;
  for (let times = 0; times < DECODED_TIMES_MAX; times += 1) {
    // What is no encoded text stays; `decodeURIComponent` would refuse all of it.
    const next = text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === text) break;
    text = next;
  }
  return text;
}

/** The names in a path, however it is spelled: without encoding, `.`, `..`, `//`, `\` and case. */
function segmentsOf(path: string): string[] {
  const plain = decoded(/^[^?#]*/.exec(path)?.[0] ?? '').replaceAll(IGNORED, '');
  const segments: string[] = [];
  for (const segment of plain.toLowerCase().split(/[/\\]/)) {
    const [name = ''] = segment.split(';', 1);
    if (name === '..') segments.pop();
    else if (name !== '' && name !== '.') segments.push(name);
  }
  return segments;
}

/**
 * Whether a path leads to what only the development server of an agent answers, at its root or behind
 * `mountPrefix`, in any spelling that some server might read so. A path that merely looks alike is closed
 * too.
 */
export function isClosedPath(path: string, mountPrefix = ''): boolean {
  const segments = segmentsOf(path);
  const prefix = segmentsOf(mountPrefix);
  const mounted = prefix.every((name, at) => segments[at] === name) ? segments[prefix.length] : undefined;
  return [segments[0], mounted].some((name) => name !== undefined && CLOSED.includes(name));
}

/** Whether a path leads to what a durable server tells its listener alone, in any spelling. */
export const isInternalPath = (path: string): boolean => segmentsOf(path)[0] === 'internal';

/**
 * The paths of a server that the proxy closes. `internal`: those that a durable server has for its listener.
 * `developmentBelow`: those that an agent server has for its development, at its root and behind this prefix.
 */
export type ClosedPaths = 'none' | 'internal' | { developmentBelow: string };

/** Whether a path is closed, whatever the server would answer. */
export function closedBy(closed: ClosedPaths): (path: string) => boolean {
  if (closed === 'none') return () => false;
  return closed === 'internal' ? isInternalPath : (path) => isClosedPath(path, closed.developmentBelow);
}
