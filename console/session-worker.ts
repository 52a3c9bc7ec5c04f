/**
 * Passes on what tabs of the console tell one another, to tabs of the console alone. A channel of the
 * browser's is open to every page of this origin, the one at `/docs` too; a worker is told by the browser
 * itself from which address a page was loaded, whatever the page has put into its address bar since.
 */
type Tab = { id: string; url: string; postMessage(message: unknown): void };
type Told = Event & { source: Tab | null; data: unknown; waitUntil(work: Promise<unknown>): void };
type Scope = {
  registration: { scope: string };
  clients: { matchAll(options: object): Promise<Tab[]>; claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(name: string, listener: (event: Told) => void): void;
};
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this script runs as a service worker alone; the types of pages and of workers do not go together
const scope = globalThis as unknown as Scope;

/** `/console` as well as whatever is below it. */
const isConsole = ({ url }: Tab): boolean => `${url.split(/[?#]/)[0]}/`.startsWith(scope.registration.scope);

async function passOn({ source, data }: Told): Promise<void> {
  if (source === null || !isConsole(source)) return;
  const tabs = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const others = tabs.filter((tab) => tab.id !== source.id && isConsole(tab));
  for (const tab of others) tab.postMessage(data);
  source.postMessage({ kind: 'passed', tabs: others.length });
}

scope.addEventListener('message', (event) => event.waitUntil(passOn(event)));
// A newer one takes over at once: it keeps nothing.
scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
