/** What images are built for when a listener says nothing else. */
export const DEFAULT_PLATFORMS: readonly string[] = ['linux/amd64'];

/** As the builder and the registry write them: `linux/arm64`, `linux/arm/v7`. */
export const platformPattern = /^linux\/[a-z0-9]+(\/v[0-9])?$/;

/** The platforms in a listener's compute_config, where it is well formed. */
export function platformsOf({ platforms }: { platforms?: unknown }): string[] {
  const given: unknown[] = Array.isArray(platforms) ? platforms : [];
  const known = given.filter((one) => typeof one === 'string').filter((one) => platformPattern.test(one));
  return known.length > 0 ? known : [...DEFAULT_PLATFORMS];
}
