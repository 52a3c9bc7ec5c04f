import * as z from 'zod';
import { auditActions, auditDetails } from './audit.ts';

/**
 * Lines of notes.ts; apart from it, for only what reads them needs schemas. A key, by its hash, was used in
 * this hour (its beginning, in epoch milliseconds).
 */
export const keyUseNote = z.object({
  key_hash: z.string().regex(/^[0-9a-f]{64}$/),
  hour: z.int().positive(),
});

/** A request was given a credential or a secret; `id` becomes the audit event's. */
export const handOutNote = z.object({
  id: z.guid(),
  action: z.enum(auditActions),
  tenant_id: z.string(),
  user_id: z.string(),
  key_id: z.string(),
  request_id: z.string().optional(),
  deployment_id: z.string().optional(),
  subject_id: z.string().optional(),
});

/**
 * Requests of one caller that were refused within one hour: so many since the last such note of this process.
 */
export const refusalNote = z.object({
  /** Becomes the audit event's, when it is the first of its hour and caller. */
  id: z.guid(),
  /** The beginning of the hour, in epoch milliseconds. */
  hour: z.int().positive(),
  count: z.int().positive(),
  /** Equal for equal callers; `various` for those of whom there were too many to tell apart. */
  caller: z.string().max(64),
  /** Whose key or user it is; absent of a caller who is not known. */
  tenant_id: z.string().optional(),
  organization_id: z.string().optional(),
  user_id: z.string().optional(),
  key_id: z.string().optional(),
  /** The tenant that the request named, whether there is such a one or not. */
  claimed_tenant_id: z.string().optional(),
  request_id: z.string(),
  details: auditDetails,
});
export type RefusalNote = z.infer<typeof refusalNote>;
