import * as z from 'zod';
import { open, seal } from '../../adapters/envelope.ts';
import type { KeyContext } from '../../adapters/keys.ts';
import type { Deps } from '../deps.ts';

/** The tokens of one grant, in plain. Callers never log nor store them. */
export type Tokens = { access_token: string; refresh_token?: string | undefined };
type Place = { tenant_id: string; token_id: string };

const stored = z.object({ access_token: z.string(), refresh_token: z.string().optional() });

/** Ciphertext opens only for the tenant and the token it was made for. */
const contextOf = ({ tenant_id, token_id }: Place): KeyContext => ({
  tenant: tenant_id,
  oauth_token: token_id,
});

export const sealTokens = (deps: Pick<Deps, 'keys'>, place: Place, tokens: Tokens): Promise<string> =>
  seal(deps.keys, JSON.stringify(tokens), contextOf(place));

export async function openTokens(
  deps: Pick<Deps, 'keys'>,
  { sealed, ...place }: Place & { sealed: string },
): Promise<Tokens> {
  return stored.parse(JSON.parse(await open(deps.keys, sealed, contextOf(place))));
}
