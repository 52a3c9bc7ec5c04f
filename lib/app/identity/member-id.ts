import { createHash } from 'node:crypto';

/**
 * The id of a user as a member: the same for the same user, in the form of a UUID (version 8, RFC 9562). So a
 * user's subject, which is any text of the identity provider's, stands in no key of the table and in no path.
 */
export function memberIdOf(userId: string): string {
  const hex = createHash('sha256').update(userId).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
