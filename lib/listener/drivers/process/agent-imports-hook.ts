import type { ResolveHook } from 'node:module';

const LIBRARY = '@langchain/langgraph';
const CHECKPOINTS = '@langchain/langgraph-checkpoint';

let home: string | undefined;

/** `from`: the address of a file beside whose `node_modules` the library lies. */
export function initialize(from: string): void {
  home = from;
}

/**
 * The library, and the part of it that package managers may put beside the library alone, come from one place
 * whoever asks.
 */
export const resolve: ResolveHook = async (specifier, context, next) => {
  if (specifier === CHECKPOINTS) {
    const { url } = await next(LIBRARY, { ...context, parentURL: home });
    return next(specifier, { ...context, parentURL: url });
  }
  const isLibrary = specifier === LIBRARY || specifier.startsWith(`${LIBRARY}/`);
  return next(specifier, isLibrary ? { ...context, parentURL: home } : context);
};
