/** What a build is for, as the builder and the registry write it: `linux/arm64`, `linux/arm/v7`. */
export const platformPattern = /^linux\/[a-z0-9]+(\/v[0-9])?$/;

/** What a listener may say of its machine, in the same words: `darwin/arm64` too. */
export const machinePattern = /^[a-z0-9]{1,20}\/[a-z0-9]{1,20}(\/v[0-9])?$/;

const ARCHITECTURES: Record<string, string> = { x64: 'amd64', ia32: '386' };
const SYSTEMS: Record<string, string> = { win32: 'windows' };

/** A machine in the words of images, from those of Node.js: `linux` and `x64` are `linux/amd64`. */
export const platformOf = ({ platform, arch }: { platform: string; arch: string }): string =>
  `${SYSTEMS[platform] ?? platform}/${ARCHITECTURES[arch] ?? arch}`;
