import { createHash } from 'node:crypto';
import type { Page } from '../../contract/browser/page.ts';
import { withBidiShown } from '../../shown-text.ts';

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Controls and what else is not seen would let a claim look like another one, as turning marks would. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escaped = (text: string): string =>
  withBidiShown(text)
    .replaceAll(INVISIBLE, '\u{FFFD}')
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** Text that is HTML already; everything else is escaped when it is put into some. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const partText = (part: string | Html | readonly Html[]): string => {
  if (typeof part === 'string') return escaped(part);
  return part instanceof Html ? part.text : part.map(({ text }) => text).join('');
};

/** HTML of a template whose values are escaped, for text and for quoted attributes. */
const html = (strings: TemplateStringsArray, ...parts: (string | Html | readonly Html[])[]): Html =>
  new Html(strings.reduce((text, string, index) => text + partText(parts[index - 1] ?? '') + string));

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
const layout = (title: string, main: Html): string =>
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

/**
 * What a person reads before they consent. This service vouches for the verified facts; claims are the
 * caller's own.
 */
type ConsentFacts = {
  providerName: string;
  /** Where consent is given. */
  providerHost: string;
  organization: string;
  /** Whose the access will be. */
  owner: string;
  scopes: readonly string[];
  claims: { userId: string | undefined; agentId: string | undefined };
  /** A code will have to be entered where this was begun. */
  isStrict: boolean;
};

const fact = (term: string, value: string | Html): Html => html`<dt>${term}</dt><dd>${value}</dd>
`;

const scopeList = (scopes: readonly string[]): Html =>
  scopes.length === 0
    ? html`none named: what the provider gives by itself`
    : html`<ul>${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`;

function claimsOf({ userId, agentId }: ConsentFacts['claims']): Html {
  if (userId === undefined && agentId === undefined) return html``;
  return html`<section class="claims" aria-labelledby="claims">
<h2 id="claims">Claimed by the caller, not verified</h2>
<dl>
${userId === undefined ? html`` : fact('User', userId)}${agentId === undefined ? html`` : fact('Agent', agentId)}</dl>
</section>`;
}

/** Asks whether the person began this; its button posts the form token to the page's own address. */
export function beginPage(facts: ConsentFacts, formToken: string): Page {
  const { providerName, providerHost, organization, owner, scopes, claims, isStrict } = facts;
  const main = html`<p>Somebody asks for access to your account at <strong>${providerHost}</strong>.
Go on only if you have just begun this yourself: whoever asked will be able to use the access.</p>
<section aria-labelledby="verified">
<h2 id="verified">Verified</h2>
<dl>
${fact('Organization', organization)}${fact('Asked for by', owner)}${fact('Provider', providerHost)}${fact('Access', scopeList(scopes))}</dl>
</section>
${claimsOf(claims)}
${isStrict ? html`<p>Afterwards you will be shown a code to enter where you began.</p>` : html``}
<form method="post">
<input type="hidden" name="form_token" value="${formToken}">
<button type="submit">Continue to ${providerHost}</button>
</form>
<p>If you did not begin this, close this page. Nothing has happened yet.</p>`;
  return { status: 200, html: layout(`Connect ${providerName}`, main) };
}

const note = (status: number, title: string, ...paragraphs: string[]): Page => ({
  status,
  html: layout(
    title,
    html`${paragraphs.map(
      (text) => html`<p>${text}</p>
`,
    )}`,
  ),
});

export const connectedPage = (providerName: string): Page =>
  note(200, `${providerName} is connected`, 'You can close this page and go back to where you began.');

/** Shown once, to the browser that consented. */
export function confirmPage(providerName: string, code: string): Page {
  const main = html`<p>Enter this code where you began. It is shown once.</p>
<p><code>${code}</code></p>
<p>Give it to nobody: with it, whoever asked for the access gets it. If somebody else sent you here, close this page.</p>`;
  return { status: 200, html: layout(`Confirm the connection of ${providerName}`, main) };
}

/** Does not say whether the request never was, is done, or has expired: an address alone tells nothing. */
export const overPage = (): Page =>
  note(
    410,
    'This page is no longer in use',
    'The request for access is complete or has expired. Nothing was changed.',
    'If you still need access, start again where you came from.',
  );

export const otherBrowserPage = (): Page =>
  note(
    403,
    'This request was started in another browser',
    'A request for access continues only in the browser that started it. Nothing was changed.',
    'Go back to that browser, or start again where you came from.',
  );

export const unprovenFormPage = (): Page =>
  note(
    403,
    'This form does not come from our page',
    'Nothing was changed. Open the link you were given and use the button there.',
  );

/** `reason`: what the provider or this service says, in one sentence. */
export const notConnectedPage = (providerName: string, reason: string): Page =>
  note(
    200,
    `${providerName} was not connected`,
    reason,
    'No access was given. If you still need access, start again where you came from.',
  );

/** What went wrong with a request for a page. */
export const failurePage = (status: number, reason: string): Page =>
  note(status, 'This did not work', reason);
