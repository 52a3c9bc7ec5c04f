import { delimiter, dirname } from 'node:path';
import { SOURCE_VARIABLE } from './table/source.ts';

/** Variables of ours that a build or an agent server may see; everything else is left out. */
const ALLOWED = new Set(
  `HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR SSH_AUTH_SOCK
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO
  XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR`.split(/\s+/),
);

const FALLBACK_PATH = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Folders that `npm run` puts in front of PATH: a child must find its own tools, not ours. */
function isFromNpmScript(folder: string): boolean {
  const normal = folder.replaceAll('\\', '/').replace(/\/+$/, '');
  return normal.endsWith('node_modules/.bin') || normal.endsWith('node-gyp-bin');
}

/**
 * PATH for a child: the folder of the running Node first, then the given PATH without what npm scripts added.
 * The folder of Node is named explicitly because it may be inside `node_modules`, reached only through an
 * entry that is taken out; npm and npx are still found further down.
 */
export function childPath(path: string | undefined, nodeFolder = dirname(process.execPath)): string {
  const given = (path ?? '').split(delimiter).filter((folder) => folder !== '' && !isFromNpmScript(folder));
  return [...new Set([nodeFolder, ...(given.length > 0 ? given : FALLBACK_PATH)])].join(delimiter);
}

/**
 * The environment of a process that we start for somebody else: a short allow-list of ours and `extra` on
 * top. It never holds `npm_*`, `NODE_ENV`, `INIT_CWD`, or settings and credentials of this program.
 */
export function childEnvironment(
  extra: Record<string, string> = {},
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const kept = Object.entries(own).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (ALLOWED.has(entry[0]) || entry[0].startsWith('LC_')),
  );
  return { ...Object.fromEntries(kept), ...extra, PATH: childPath(extra.PATH ?? own.PATH) };
}

/**
 * For programs of our own, never for agents and builds: they start faster with the compiled code that we
 * share, and look at processes as we do.
 */
export function ownVariables(): Record<string, string> {
  const names = ['NODE_COMPILE_CACHE', SOURCE_VARIABLE];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
