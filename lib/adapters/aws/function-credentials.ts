import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Stands in for the SDK's default chain in the bundles of functions: Lambda puts a role's credentials into
 * the environment, and the other links of the chain (profiles, single sign-on, instance metadata) are half of
 * a small bundle and never used there.
 */
export const defaultProvider = (): ReturnType<typeof fromEnv> => fromEnv();
