import type { Caller } from '../../../core/caller.ts';
import type { Owner } from '../../../store/oauth/tokens.ts';

/** Whose tokens a caller's own ones are. */
export const ownerOfCaller = ({ tenantId, userId }: Pick<Caller, 'tenantId' | 'userId'>): Owner => ({
  tenantId,
  ownerId: userId,
});
