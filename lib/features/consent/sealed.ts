import * as z from 'zod';
import { open, seal } from '../../adapters/envelope.ts';
import type { KeyContext } from '../../adapters/keys.ts';
import type { TokenAnswer } from '../../adapters/oauth.ts';
import type { Deps } from '../../core/deps.ts';
import type { AuthRequest } from './items.ts';

type Owner = Pick<AuthRequest, 'tenant_id' | 'id'>;

/** Ciphertext opens only for the request it was made for. */
const contextOf = ({ tenant_id, id }: Owner): KeyContext => ({ tenant: tenant_id, auth_request: id });

export const sealText = (deps: Pick<Deps, 'keys'>, owner: Owner, text: string): Promise<string> =>
  seal(deps.keys, text, contextOf(owner));

export const openText = (deps: Pick<Deps, 'keys'>, owner: Owner, sealed: string): Promise<string> =>
  open(deps.keys, sealed, contextOf(owner));

const answer = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  expiresInSeconds: z.number().optional(),
  scopes: z.array(z.string()).optional(),
  accountLabel: z.string().optional(),
  /** Epoch milliseconds: what `expiresInSeconds` counts from. */
  receivedAt: z.number(),
});

/** What the provider answered, while the user who asked has yet to confirm. */
export const sealAnswer = (
  deps: Pick<Deps, 'keys' | 'clock'>,
  owner: Owner,
  given: TokenAnswer,
): Promise<string> => sealText(deps, owner, JSON.stringify({ ...given, receivedAt: deps.clock.now() }));

/** What was sealed; its lifetime is what is left of it by now. */
export async function openAnswer(
  deps: Pick<Deps, 'keys' | 'clock'>,
  owner: Owner,
  sealed: string,
): Promise<TokenAnswer> {
  const text = await openText(deps, owner, sealed);
  const { receivedAt, accessToken, refreshToken, expiresInSeconds, scopes, accountLabel } = answer.parse(
    JSON.parse(text),
  );
  const passedSeconds = Math.ceil((deps.clock.now() - receivedAt) / 1000);
  return {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresInSeconds !== undefined && {
      expiresInSeconds: Math.max(0, expiresInSeconds - passedSeconds),
    }),
    ...(scopes !== undefined && { scopes }),
    ...(accountLabel !== undefined && { accountLabel }),
  };
}
