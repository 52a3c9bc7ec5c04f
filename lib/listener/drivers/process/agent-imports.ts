import { register } from 'node:module';

/**
 * Runs in the processes of an agent server that a build has added, before anything else of them. The address
 * of this module says in `home` from where the library that server and graphs share is taken. Registered
 * first, the hook has the last word.
 */
const home = new URL(import.meta.url).searchParams.get('home');
register('./agent-imports-hook.ts', import.meta.url, { data: home });
