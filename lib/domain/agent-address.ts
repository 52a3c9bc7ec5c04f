import { customAddress } from '../contract/validation/text.ts';

/** So many addresses of a deployment are known again: clients send back what they once read. */
export const REPORTED_MAX = 10;

type Known = { reported_urls?: string[] | undefined; active?: { url?: string | undefined } | undefined };

/** What a deployment's listener has reported of its address, the newest first. */
const reportedOf = ({ reported_urls: reported, active }: Known): string[] =>
  reported ?? (active?.url === undefined ? [] : [active.url]);

/** The reported addresses with one more; undefined: the report says nothing new. */
export function withReported(known: Known, url: string | undefined): string[] | undefined {
  const before = reportedOf(known);
  if (url === undefined || (before[0] === url && known.reported_urls !== undefined)) return undefined;
  return [url, ...before.filter((each) => each !== url)].slice(0, REPORTED_MAX);
}

/** One spelling of an address, whichever case its host has and whether a slash ends it. */
function plain(address: string): string {
  const url = URL.parse(customAddress(address));
  return url === null ? address : `${url.origin}${url.pathname.replace(/\/+$/, '')}${url.search}${url.hash}`;
}

/** Whether an address that a client sends is one that it has read here: then it is no wish for its own. */
export function isReported(known: Known, address: string): boolean {
  const present = known.active?.url;
  const all = present === undefined ? reportedOf(known) : [present, ...reportedOf(known)];
  return all.some((each) => plain(each) === plain(address));
}

/** The address at which what serves answers; null while nothing does. */
export const answeringUrl = ({
  active,
}: {
  active?: { url?: string | undefined; healthy: boolean } | undefined;
}): string | null => (active?.healthy === true ? (active.url ?? null) : null);
