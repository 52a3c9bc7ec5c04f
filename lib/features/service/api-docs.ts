import type { ApiDocs } from '../../adapters/api-docs.ts';
import { DESCRIPTION_FILE, START_FILE } from '../../contract/browser/api-docs.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { getDocs, getDocsFile, getOpenApi } from './routes.ts';

/**
 * No third party is called: by default, the viewer sends the document to an online validator. Links lead on
 * in this tab: the page's policy lets it open no other one.
 */
const START = `const { openapi } = document.currentScript.dataset;
addEventListener('click', ({ target }) => target.closest('a[target]')?.removeAttribute('target'), true);
SwaggerUIBundle({ url: openapi, dom_id: '#viewer', deepLinking: true, validatorUrl: null });
`;

type ApiDocsDeps = { apiDocs: ApiDocs };

/** The description of the API. */
export const description = async ({ apiDocs }: ApiDocsDeps): Promise<RouteOutput<typeof getOpenApi>> => ({
  contentType: 'application/json',
  text: await apiDocs.read(DESCRIPTION_FILE),
});

/**
 * The page. Its parts are named from the root of the host: it may lie under a prefix, and be asked for with a
 * slash at the end.
 */
export async function apiDocsPage(
  _: unknown,
  { baseUrl }: Pick<RouteInput<typeof getDocs>, 'baseUrl'>,
): Promise<RouteOutput<typeof getDocs>> {
  // A path of a URL holds no quotes and no angle brackets.
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Slipway API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${prefix}/docs/swagger-ui.css">
</head>
<body>
<noscript>This page needs JavaScript; the description itself is <a href="${prefix}/openapi.json">openapi.json</a>.</noscript>
<div id="viewer"></div>
<script src="${prefix}/docs/swagger-ui-bundle.js"></script>
<script src="${prefix}/docs/${START_FILE}" data-openapi="${prefix}/openapi.json"></script>
</body>
</html>
`;
  return { contentType: 'text/html', text };
}

/** One of its parts. */
export async function apiDocsFile(
  { apiDocs }: ApiDocsDeps,
  { params: { file } }: Pick<RouteInput<typeof getDocsFile>, 'params'>,
): Promise<RouteOutput<typeof getDocsFile>> {
  const contentType = file.endsWith('.css') ? 'text/css' : 'text/javascript';
  return { contentType, text: file === START_FILE ? START : await apiDocs.read(file) };
}
