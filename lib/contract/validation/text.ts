/** Rules of single texts: each gives what is wrong with one, in words for the client, or undefined. */

// Control characters and white space have no place in addresses and paths; a terminal or a shell would read
// them as its own.
const CONTROL_OR_SPACE = /[\s\p{Cc}]/u;
const SCP_ADDRESS = /^[A-Za-z0-9][\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?!\/\/)[^-]/;

/** https, ssh (also `git@host:path`) or file; whether `file:` is allowed is the installation's to say. */
export function repoUrlProblem(text: string): string | undefined {
  if (CONTROL_OR_SPACE.test(text)) return 'a repository URL contains no white space or control characters';
  if (SCP_ADDRESS.test(text)) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['https:', 'ssh:', 'file:'].includes(url.protocol)) {
    return 'a repository URL is an https or ssh address, has the form git@host:path or, for the embedded runtime, file:///path';
  }
  if (url.password !== '' || (url.username !== '' && url.protocol === 'https:')) {
    return 'a repository URL contains no user name or password';
  }
  if (url.protocol === 'file:') return url.host === '' ? undefined : 'a file URL names no host: file:///path';
  // git hands host and user to ssh as arguments: a leading dash would be an option there.
  if (url.host === '' || url.host.startsWith('-') || url.username.startsWith('-')) {
    return 'a repository URL names a host';
  }
  return undefined;
}

// git-check-ref-format(1), rules 1 and 3 to 10, in that order; rule 2 (a slash) does not hold for short
// names.
const FORBIDDEN_IN_REF: readonly RegExp[] = [
  /(^|\/)\./,
  /\.lock(\/|$)/,
  /\.\./,
  /[\p{Cc} ~^:?*[\\]/u,
  /^\/|\/$|\/\//,
  /\.$/,
  /@\{/,
  /^@$/,
  /^-/,
];

/** A branch, `refs/tags/<tag>` or a commit: what git takes as a name and no command takes as an option. */
export function repoRefProblem(text: string): string | undefined {
  if (text === '') return 'a ref is not empty';
  return FORBIDDEN_IN_REF.some((pattern) => pattern.test(text)) ? 'this is not a valid git ref' : undefined;
}

/** A path inside the source: relative, and never out of it. */
export function configPathProblem(text: string): string | undefined {
  if (text === '') return 'a path is not empty';
  if (/[\p{Cc}\\]/u.test(text)) return 'a path contains no backslash or control characters';
  if (text.startsWith('/') || text.startsWith('~')) return 'a path is relative to the root of the source';
  return text.split('/').includes('..') ? "a path contains no '..'" : undefined;
}

/** A folder or file below the root of the source, or none: an empty text clears it. */
export const clearablePathProblem = (text: string): string | undefined =>
  text === '' ? undefined : configPathProblem(text);

/** A line of shell that starts a server; an empty text clears it. */
export function startCommandProblem(text: string): string | undefined {
  if (/[\n\r\0]/.test(text)) return 'a start command is one line, without NUL';
  return text !== '' && text.trim() === '' ? 'a start command is not blank; "" clears it' : undefined;
}

/** A stage of a Dockerfile, by its name or number; an empty text clears it. */
export const dockerTargetProblem = (text: string): string | undefined =>
  text === '' || /^[A-Za-z0-9][\w.-]*$/.test(text)
    ? undefined
    : "the stage of a Dockerfile has letters, digits, '_', '.' and '-', and begins with a letter or a digit";

const HOST =
  '(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\\[[0-9A-Fa-f:]+\\])';
const COMPONENT = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*';
const IMAGE_NAME = `(?:${HOST}(?::[0-9]+)?/)?${COMPONENT}(?:/${COMPONENT})*`;
const TAG = '\\w[\\w.-]{0,127}';
const DIGEST = 'sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}';
const IMAGE = new RegExp(`^(${IMAGE_NAME})(?::${TAG})?(?:@(?:${DIGEST}))?$`);
const IMAGE_NAME_LENGTH_MAX = 255;

/** The distribution project's reference grammar: `[host[:port]/]name[:tag][@digest]`. */
export function imageProblem(text: string): string | undefined {
  const name = IMAGE.exec(text)?.[1];
  if (name === undefined) return 'this is not a valid image reference';
  return name.length > IMAGE_NAME_LENGTH_MAX
    ? `the name of an image has at most ${IMAGE_NAME_LENGTH_MAX} characters`
    : undefined;
}

/**
 * What clients of such APIs know as forbidden; builds are isolated otherwise. `&&` is allowed, a single `&`
 * is not.
 */
export function commandProblem(text: string): string | undefined {
  const forbidden = /["`\\\n\r\0\t|;$<>]/.test(text) || text.replaceAll('&&', '').includes('&');
  return forbidden
    ? 'a command contains none of " ` \\ | ; $ < > &, tab or line break (&& is allowed)'
    : undefined;
}

/** As names in DNS. */
const HOST_LENGTH_MAX = 253;

/** A name of at least two labels, or this machine's: a single word is rather a mistake. */
const HOST_NAME = /^(?:localhost|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+\.?)$/i;

/** The URL that a `custom_url` stands for: a host name alone means https. */
export const customAddress = (text: string): string => (HOST_NAME.test(text) ? `https://${text}` : text);

/** The URL of a deployment's `custom_url`, as listeners get it: null without one. */
export const ownAddress = (text: string | undefined): string | null =>
  text === undefined ? null : customAddress(text);

/** The address a deployment is shown under, or its host name; empty clears it. */
export function customUrlProblem(text: string): string | undefined {
  if (text === '') return undefined;
  const address = customAddress(text);
  const url = URL.canParse(address) && !CONTROL_OR_SPACE.test(text) ? new URL(address) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol)) {
    return 'a URL begins with https:// or http://, or is a host name alone, such as agent.example.com';
  }
  if (url.hostname.length > HOST_LENGTH_MAX) return `a host has at most ${HOST_LENGTH_MAX} characters`;
  return url.username !== '' || url.password !== '' ? 'a URL contains no user name or password' : undefined;
}
