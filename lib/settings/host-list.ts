import * as z from 'zod';

/** `git.corp.example, registry.corp.example`: names without ports. */
export const hostList = () =>
  z
    .string()
    .transform((text) => text.split(',').flatMap((host) => host.trim().toLowerCase() || []))
    .pipe(z.array(z.string().regex(/^[a-z0-9.:-]+$/)));
