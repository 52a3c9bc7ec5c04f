import { registerHooks } from 'node:module';

/**
 * Stands in for lib/container.ts while this runtime loads entry points: they import it for the `handler` that Lambda calls, and it would
 * bring every client of AWS along, which are a fifth of what a start costs. Nothing of it is ever called here.
 */
const notHere = (): never => {
  throw new Error('The embedded runtime passes its own dependencies.');
};

export const clock = undefined;
export const taskNotifier = undefined;
export const table = notHere;
export const keys = notHere;
export const blobs = notHere;
export const logs = notHere;
export const git = notHere;
export const oauth = notHere;
export const oauthDiscovery = notHere;
export const workflow = notHere;
export const builds = notHere;
export const events = notHere;
export const images = notHere;
export const registry = notHere;
export const settings = notHere;
export const apiDocs = notHere;
export const engineDeps = notHere;

/** Makes whatever is imported from now on get this module instead. */
export function leaveOutContainer(): void {
  const container = new URL('../container.ts', import.meta.url).href;
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      return resolved.url === container ? { ...resolved, url: import.meta.url } : resolved;
    },
  });
}
