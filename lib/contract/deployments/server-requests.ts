import * as z from 'zod';

/** `POST /v2/deployments/{deployment_id}/server-requests`: a request that is passed on to its server. */

const PATH_CHARACTERS_MAX = 2_048;
const HEADERS_MAX = 50;
const HEADER_CHARACTERS_MAX = 4_096;
const BODY_CHARACTERS_MAX = 262_144;

export const serverRequestBody = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  /** With its query. */
  path: z
    .string()
    .max(PATH_CHARACTERS_MAX)
    .regex(/^\/[!-~]*$/),
  /** Without credentials of this API, and without those that belong to a connection: they are left out. */
  headers: z
    .array(
      z.object({
        name: z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/),
        value: z
          .string()
          .max(HEADER_CHARACTERS_MAX)
          .regex(/^[\t -~]*$/),
      }),
    )
    .max(HEADERS_MAX)
    .nullish(),
  body: z.string().max(BODY_CHARACTERS_MAX).nullish(),
});

/** What the server answered is never shown as a page: whatever it is, a browser takes it for bytes. */
export const serverAnswerTypes = ['application/octet-stream'] as const;

export const serverAnswerView = z.object({
  contentType: z.enum(serverAnswerTypes),
  text: z.string(),
  isBase64: z.boolean(),
});

export type ServerAnswerOutput = z.input<typeof serverAnswerView> & {
  status: number;
  serverHeaders: Readonly<Record<string, string>>;
  /** The body of the answer, as it comes. */
  stream: ReadableStream<Uint8Array>;
};

/** A header takes ASCII alone. */
const ascii = (text: string): string =>
  text.replaceAll(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const serverAnswerHeaders = ({
  status,
  serverHeaders,
}: ServerAnswerOutput): Record<string, string> => ({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'X-Server-Headers': ascii(JSON.stringify(serverHeaders)),
  'X-Server-Status': String(status),
});
