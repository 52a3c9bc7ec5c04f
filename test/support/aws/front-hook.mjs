// Leads requests for the front of agents to the balancer behind it, as CloudFront would ask it: an emulator
// leads a distribution nowhere. Loaded with `--import` into programs of a test, whichever Node runs them.
const { FRONT_HOST: host, FRONT_BALANCER_URL: balancer = '', FRONT_HEADER: header = '' } = process.env;
const fetched = globalThis.fetch;

globalThis.fetch = (input, init) => {
  const { url } = new Request(input);
  const { host: asked, pathname, search } = new URL(url);
  if (asked !== host) return fetched(input, init);
  const [, agent = '', path = '/'] = /^\/d\/([^/]+\/[^/]+)(\/.*)?$/.exec(pathname) ?? [];
  const headers = new Headers(init?.headers);
  headers.set(header, agent);
  return fetched(balancer + path + search, { ...init, headers });
};
