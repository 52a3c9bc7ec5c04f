import { register } from 'node:module';

/**
 * Runs in the processes of an agent server in JavaScript, before anything else of them. The address of this
 * module says in `home` from where the library that server and graphs share is taken, if that is not left to
 * them, and in `mark` which file says that the server has no routes for its development. Registered first,
 * the hook has the last word.
 */
const { searchParams } = new URL(import.meta.url);
const data = { home: searchParams.get('home'), mark: searchParams.get('mark') };
register('./agent-imports-hook.ts', import.meta.url, { data });
