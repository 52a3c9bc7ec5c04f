/** What is shown to a person's browser, or where it is sent on to. Cookies are whole `Set-Cookie` values. */
export type Page = { cookies?: readonly string[] } & (
  | { status: number; html: string }
  | { status: 303; location: string }
);

/** What a browser asked for. */
export type PageRequest = {
  params: Record<string, string>;
  /** As in the address: repeated parameters stay repeated. */
  query: URLSearchParams;
  /** The fields of a posted form; none for other methods. */
  form: URLSearchParams;
  cookies: ReadonlyMap<string, string>;
  /** Whether the browser says that one of our own pages led here; undefined: it does not say. */
  isFromOwnPage: boolean | undefined;
  /** The address clients reach us at, without a trailing slash. */
  baseUrl: string;
  requestId: string;
  /** Below the base address. */
  path: string;
};

/** The headers of every page: no caching and no referrer. The policy depends on what the page may load. */
export const pageHeaders = (policy: string): Record<string, string> => ({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
});
