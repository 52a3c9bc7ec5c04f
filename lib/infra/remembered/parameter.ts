import { GetParameterCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import type { Given } from '../settings.ts';

/** What a parameter of the standard tier, which costs nothing, may hold. */
const BYTES_MAX = 4096;

/** Where an installation remembers its settings. */
export const settingsParameter = (environment: string): string => `/slipway/${environment}/settings`;

/** The settings as the parameter holds them. Throws when they are longer than a parameter. */
export function settingsText(environment: string, given: Given): string {
  const text = JSON.stringify(given, Object.keys(given).sort());
  const bytes = Buffer.byteLength(text);
  if (bytes <= BYTES_MAX) return text;
  const [longest = ''] = Object.keys(given).sort((a, b) => (given[b]?.length ?? 0) - (given[a]?.length ?? 0));
  throw new Error(
    `The settings take ${bytes} bytes, and the parameter ${settingsParameter(environment)} holds ${BYTES_MAX}. Shorten ${longest}, the longest of them.`,
  );
}

const stored = z.record(z.string(), z.string());

/**
 * What an installation remembers; undefined: it has no such parameter. Throws when it may not be read, or is
 * not what a deploy writes.
 */
export async function rememberedSettings(client: SSMClient, environment: string): Promise<Given | undefined> {
  const name = settingsParameter(environment);
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name }));
    return stored.parse(JSON.parse(Parameter?.Value ?? ''));
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    if (error instanceof SyntaxError || error instanceof z.ZodError)
      throw new Error(
        `The parameter ${name} does not hold settings as a deploy writes them. Put a JSON object of texts there, such as {"compute":"fargate"}.`,
        { cause: error },
      );
    throw error;
  }
}
