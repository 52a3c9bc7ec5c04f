/**
 * The key of this tab's session is kept in the tab's own name. A page of another origin, and one of ours that
 * is not the console, never sees that name: `Cross-Origin-Opener-Policy` has the browser give such a page an
 * empty one. All that is called storage is open to every page of the origin.
 */
const MARK = 'slipway.key=';

/** Over plain HTTP from another machine browsers do not keep the pages apart: the key is in memory alone. */
const isKept = window.isSecureContext;

/** As it was before a reload; null: there is none. */
export const keptKey = (): string | null =>
  isKept && window.name.startsWith(MARK) ? window.name.slice(MARK.length) : null;

export function keepKey(key: string | null): void {
  if (isKept) window.name = key === null ? '' : MARK + key;
}
