/** Kubernetes' Pod Security Standards, the strictest first. */
export const podSecurityProfiles = ['restricted', 'baseline', 'privileged'] as const;
export type PodSecurity = (typeof podSecurityProfiles)[number];

/** What a listener gets that is registered without a word about it. */
export const DEFAULT_POD_SECURITY: PodSecurity = 'baseline';

/**
 * The standard that a compute_config asks for. A listener that was registered before there was a choice has
 * none, and nothing that it takes today may be refused tomorrow.
 */
export const podSecurityOf = ({ pod_security: asked }: { pod_security?: unknown }): PodSecurity =>
  podSecurityProfiles.find((profile) => profile === asked) ?? 'privileged';
