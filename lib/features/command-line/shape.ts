import * as z from 'zod';

export const cliTypes = ['text/plain', 'text/javascript', 'application/gzip', 'application/json'] as const;

/** A text, or bytes in base64. */
export const cliView = z.object({
  contentType: z.enum(cliTypes),
  text: z.string(),
  isBase64: z.boolean(),
});

export type CliOutput = z.input<typeof cliView> & {
  /** Of what its address keeps for ever: the address names its content. */
  isImmutable: boolean;
  /** Of its content, in quotes. */
  etag?: string;
};

/** What names its content in its address never changes; the rest is asked for anew. */
export const cliHeaders = ({ isImmutable, etag }: CliOutput): Record<string, string> => ({
  'Cache-Control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  ...(etag !== undefined && { ETag: etag }),
});
