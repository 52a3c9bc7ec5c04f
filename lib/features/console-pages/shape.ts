import * as z from 'zod';

/** The console as it is served: one page for all of its places, and the files that it is made of. */

export const consoleTypes = ['text/html', 'text/css', 'text/javascript', 'font/woff2'] as const;

/** Below `/console/`; any other path is a place in the console. */
export const ASSETS = 'assets/';

/** Below `/console/` too: browsers let a worker see to the pages below its own address alone. */
export const SESSION_WORKER = 'session-worker.js';

/** A text, or bytes in base64. */
export const consoleView = z.object({
  contentType: z.enum(consoleTypes),
  text: z.string(),
  isBase64: z.boolean(),
});

export type ConsoleOutput = z.input<typeof consoleView> & {
  /** Of a page: origins beside our own that it talks to. */
  connectTo?: readonly string[];
  /** Of a file that is sent compressed. */
  contentEncoding?: 'br';
  /** Its address stays the same when its content changes. */
  isAskedAnew?: true;
};

/** Our own files and nothing else, no text that becomes script, and no frame around it. */
const policyWith = (connectTo: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    ['connect-src', "'self'", ...connectTo].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The one for starting the worker that passes a session on.
    'trusted-types session-worker',
  ].join('; ');

/** Files have their hash in their names, so they never change; the page names them and is asked for anew. */
export const consoleHeaders = (output: ConsoleOutput): Record<string, string> => ({
  'Cache-Control': output.isAskedAnew === true ? 'no-cache' : 'public, max-age=31536000, immutable',
  'Content-Security-Policy': policyWith(output.connectTo ?? []),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept-Encoding',
  'X-Content-Type-Options': 'nosniff',
  ...(output.contentEncoding !== undefined && { 'Content-Encoding': output.contentEncoding }),
});
