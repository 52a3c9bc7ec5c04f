/** What a request carries, without the types of its row. */
export type Parts = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
};

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

/** The path and query of a request; filters that are empty are left out. */
export function addressOf(endpoint: string, { params = {}, query = {} }: Parts): string {
  const path = endpoint
    .slice(endpoint.indexOf(' ') + 1)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const text = value === undefined || value === null ? '' : textOf(value);
    if (text !== '') search.set(name, text);
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}
