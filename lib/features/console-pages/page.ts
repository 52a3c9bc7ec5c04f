import { brotliDecompressSync } from 'node:zlib';
import type { ConsoleEntry, ConsoleFile, ConsoleFiles } from '../../adapters/console-files.ts';
import type { SignIn } from '../../adapters/sign-in.ts';
import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { getConsolePart as row } from './routes.ts';
import { ASSETS, type ConsoleOutput, SESSION_WORKER } from './shape.ts';

type PageDeps = {
  consoleFiles: ConsoleFiles;
  signIn: SignIn;
  uploadOrigin: string | undefined;
  /** Where agents answer for a page that is opened at `baseUrl`; a host may begin with `*.`. */
  agentOrigins: (baseUrl: string) => readonly string[];
};
type Asked = Pick<RouteInput<typeof row>, 'headers' | 'baseUrl'> & {
  /** Absent: the console's own address. */
  params?: { proxy?: string | undefined };
};

/**
 * A file of the console, or its page: every place in it is the same page. A file of an earlier version is
 * `path_not_found`, so that a page that was open during an upgrade learns that it is old.
 */
export async function showConsole(
  deps: PageDeps,
  { params, headers, baseUrl }: Asked,
): Promise<ConsoleOutput> {
  const path = params?.proxy ?? '';
  const isWorker = path === SESSION_WORKER;
  if (!isWorker && !path.startsWith(ASSETS)) {
    const agents = deps.agentOrigins(baseUrl);
    const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
    const text = pageOf(await deps.consoleFiles.entry(), { prefix, agents });
    const connectTo = [...othersOf(deps), ...agents];
    return { contentType: 'text/html', text, isBase64: false, connectTo, isAskedAnew: true };
  }
  const { consoleFiles } = deps;
  const name = isWorker ? (await consoleFiles.entry()).sessionWorker : path.slice(ASSETS.length);
  const file = await consoleFiles.read(name);
  if (file === undefined) throw refuse('path_not_found', {});
  const output = encoded(file, /\bbr\b/.test(headers.acceptEncoding ?? ''));
  return isWorker ? { ...output, isAskedAnew: true } : output;
}

const encoded = ({ contentType, brotli }: ConsoleFile, takesBrotli: boolean): ConsoleOutput => ({
  contentType,
  text: (takesBrotli ? brotli : brotliDecompressSync(brotli)).toString('base64'),
  isBase64: true,
  ...(takesBrotli && { contentEncoding: 'br' }),
});

/** Where the page sends requests beside our own origin and agents: to who signs people in, and to where uploads go. */
function othersOf({ signIn, uploadOrigin }: PageDeps): string[] {
  const urls = [signIn?.issuer, signIn?.tokenEndpoint, uploadOrigin].filter((url) => url !== undefined);
  return [...new Set(urls.map((url) => new URL(url).origin))];
}

type Around = {
  /** The path that all of ours lie under. A path of a URL holds no quotes and no angle brackets. */
  prefix: string;
  /** Which agents the page may ask itself: it cannot read its own policy. */
  agents: readonly string[];
};

function pageOf({ script, style, imports }: ConsoleEntry, { prefix, agents }: Around): string {
  const at = (name: string) => `${prefix}/console/${ASSETS}${name}`;
  const preloads = imports.map((name) => `<link rel="modulepreload" href="${at(name)}">\n`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="slipway-agents" content="${agents.join(' ')}">
<title>Slipway</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${at(style)}">
${preloads}<script type="module" src="${at(script)}"></script>
</head>
<body>
<noscript>The console needs JavaScript; the API is described at <a href="${prefix}/docs">/docs</a>.</noscript>
<div id="app"></div>
</body>
</html>
`;
}
