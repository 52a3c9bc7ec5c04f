import type { ResolveHook } from 'node:module';

const LIBRARY = '@langchain/langgraph';
const CHECKPOINTS = '@langchain/langgraph-checkpoint';
/** The module that makes the server's routes, and what it makes them with. */
const SERVER = '/@langchain/langgraph-api/dist/server.mjs';
const ROUTER = 'hono';

type Facts = { home: string | null; mark: string | null };

let home: string | undefined;
let mark: string | undefined;

/**
 * `home`: the address of a file beside whose `node_modules` the library lies. `mark`: the file that is made
 * once the server has been built without its routes for development.
 */
export function initialize(facts: Facts): void {
  home = facts.home ?? undefined;
  mark = facts.mark ?? undefined;
}

/**
 * The library, and the part of it that package managers may put beside the library alone, come from one place
 * whoever asks. The server, and nobody else, gets a router that leaves its routes for development out.
 */
export const resolve: ResolveHook = async (specifier, context, next) => {
  if (mark !== undefined && specifier === ROUTER && isServer(context.parentURL)) {
    const { url } = await next(specifier, context);
    const router = new URL('./agent-router.ts', import.meta.url);
    router.searchParams.set('router', url);
    router.searchParams.set('mark', mark);
    return { url: router.href, format: 'module-typescript', shortCircuit: true };
  }
  if (home === undefined) return next(specifier, context);
  if (specifier === CHECKPOINTS) {
    const { url } = await next(LIBRARY, { ...context, parentURL: home });
    return next(specifier, { ...context, parentURL: url });
  }
  const isLibrary = specifier === LIBRARY || specifier.startsWith(`${LIBRARY}/`);
  return next(specifier, isLibrary ? { ...context, parentURL: home } : context);
};

const isServer = (asking: string | undefined): boolean =>
  asking !== undefined && (URL.parse(asking)?.pathname.endsWith(SERVER) ?? false);
