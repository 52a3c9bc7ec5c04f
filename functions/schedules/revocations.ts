import { clock, keys, oauth, table } from '../../lib/container.ts';
import { revokeDue } from '../../lib/features/oauth-tokens/revoke.ts';
import { schedule } from '../../lib/triggers/schedule.ts';

export const create = schedule('revocations', revokeDue, 'token_id');
export const handler = create(() => ({ table: table(), clock, keys: keys(), oauth: oauth() }));
