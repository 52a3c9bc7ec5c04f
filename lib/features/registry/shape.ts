import * as z from 'zod';
import { withoutNulls } from '../../contract/validation/json.ts';

/** Requests for credentials of the installation's image registry. */

export const NO_REGISTRY =
  'this installation has no image registry; deploy from source (--remote) or give image_uri';

export const createPushTokenBody = z
  .object({
    /** The client logs in with the `username` of the answer, and pushes to its `repository_url`. */
    supports_registry_username: z.boolean().nullish(),
  })
  .transform(withoutNulls);

export const pushTokenView = z.object({
  /** The password to log in with; good for an hour. */
  token: z.string().min(1),
  registry_url: z.string().min(1),
  username: z.string(),
  /** Where to push to: a repository is one image's name, nothing is appended to it but a tag. */
  repository_url: z.string(),
});
export type PushTokenView = z.input<typeof pushTokenView>;

export const registryCredentialsView = z.object({
  /** The registry's host, as it stands at the beginning of images. */
  registry: z.string(),
  username: z.string(),
  password: z.string(),
  expires_at: z.string(),
});
export type RegistryCredentialsView = z.input<typeof registryCredentialsView>;
