import { BASE } from './place.ts';

/** What tabs of the console tell one another, by way of `session-worker.ts`. */
export type Message =
  | { kind: 'who' }
  | { kind: 'here'; key: string }
  /** Asked who is signed in here: nobody. */
  | { kind: 'nobody' }
  /** By the worker: what was told last went to so many tabs. */
  | { kind: 'passed'; tabs: number }
  | { kind: 'token'; token: string }
  | { kind: 'gone' };

const SCOPE = `${BASE}/`;
const WORKER = `${SCOPE}session-worker.js`;

/** Absent where the page came over plain HTTP from another machine: each tab signs in by itself then. */
const workers = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined;

type Registration = ServiceWorkerRegistration | undefined;
let registered: Promise<Registration> = Promise.resolve(workers?.getRegistration(SCOPE)).catch(
  () => undefined,
);

/** The only script that this page may start a worker with. */
function workersUrl(): string {
  type Policies = { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library of the compiler does not have it yet; browsers may not have it either
  const { trustedTypes } = globalThis as unknown as { trustedTypes?: Policies };
  const policy = trustedTypes?.createPolicy('session-worker', { createScriptURL: () => WORKER });
  return policy?.createScriptURL(WORKER) ?? WORKER;
}

/** Starts what passes messages on, or brings it up to date. Without it each tab signs in by itself. */
export function startTelling(): void {
  const started = workers?.register(workersUrl(), { scope: SCOPE });
  if (started !== undefined) registered = started.catch(() => undefined);
}

/** Tells the other tabs; false: nothing could pass it on. */
export async function tellTabs(message: Message): Promise<boolean> {
  const found = await registered;
  const worker = found?.active ?? found?.waiting ?? found?.installing;
  worker?.postMessage(message);
  return worker !== undefined && worker !== null;
}

/** Hears what other tabs tell; what it returns ends that. */
export function onTabs(hear: (message: Message) => void): () => void {
  const listener = ({ data, source }: MessageEvent<Message>) => {
    if (source instanceof ServiceWorker && new URL(source.scriptURL).pathname === WORKER) hear(data);
  };
  workers?.addEventListener('message', listener);
  workers?.startMessages();
  return () => workers?.removeEventListener('message', listener);
}
