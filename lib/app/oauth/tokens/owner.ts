import type { TokenOwner } from '../../../store/oauth-keys.ts';
import type { Caller } from '../../caller.ts';

/** Whose tokens a caller's own ones are. */
export const ownerOfCaller = ({
  tenantId,
  userId,
}: Pick<Caller, 'tenantId' | 'userId'>): Pick<TokenOwner, 'tenantId' | 'ownerId'> => ({
  tenantId,
  ownerId: userId,
});
