const BYTES = 32;

/** A secret of 256 bits as hexadecimal digits, which every host takes. */
export const newSecretText = (): string =>
  [...crypto.getRandomValues(new Uint8Array(BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
