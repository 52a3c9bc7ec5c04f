import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';

const STYLE = [
  ':root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}',
  'body{margin:0 auto;padding:2rem 1rem;max-width:40rem;overflow-wrap:anywhere}',
  'h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.1rem}',
  'dt{font-weight:600}dd{margin:0 0 .5rem}',
  'button{font:inherit;font-weight:600;padding:.75rem 1.25rem;cursor:pointer}',
  'code{font-size:1.1rem}.claims{border-left:.25rem solid;padding-left:1rem}',
].join('');

/** The element as its hash in the policy has it: not escaped. */
const styleElement = (): Html => new Html(`<style>${STYLE}</style>`);

/**
 * What the browser lets a page of ours do: its one style sheet and forms to this service, which send on to
 * the provider. Which hosts that goes through cannot be known before: providers hand on to others for signing
 * in, and browsers hold such hops against `form-action` too.
 */
export function policyOf(baseUrl: string): string {
  const style = createHash('sha256').update(STYLE).digest('base64');
  const onwards = baseUrl.startsWith('https:') ? 'https:' : 'http: https:';
  return [
    "default-src 'none'",
    `style-src 'sha256-${style}'`,
    `form-action 'self' ${onwards}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** A whole page with one heading. It needs no script, and no style to be read. */
export const layout = (title: string, main: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${styleElement()}
</head>
<body>
<main>
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`.text;
