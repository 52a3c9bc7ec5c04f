export type BlobFacts = { sizeBytes: number; versionId: string | undefined };
export type PinnedBlob = BlobFacts & { sha256: string };

/**
 * Files by key (tarballs, artifacts): S3, or a folder of this machine. Keys are `/`-separated, each part
 * `[A-Za-z0-9._-]+`.
 */
export type Blobs = {
  /** A signed GET for one object. */
  downloadUrl(key: string, expiresSeconds: number): Promise<string>;
  /** A signed PUT for one object; headers that the client sends beside it do not break it. */
  uploadUrl(key: string, expiresSeconds: number): Promise<string>;
  head(key: string): Promise<BlobFacts | undefined>;
  /**
   * Keeps what lies under a key now under another one too, which is made of the sha256 of its bytes in hex;
   * whatever is written under the first key later. Gives the facts of what lay there. An object over
   * `sizeBytesMax` is not read.
   */
  pin(
    key: string,
    keptAs: (sha256: string) => string,
    sizeBytesMax: number,
  ): Promise<PinnedBlob | 'absent' | 'too_large'>;
  delete(key: string): Promise<void>;
  /** Every object whose key begins with this one and a slash, in no order. */
  list(key: string): Promise<{ key: string; sizeBytes: number }[]>;
  /**
   * Deletes objects whose key begins with this one and a slash. `more`: that took a while, and some are left
   * for another call.
   */
  deleteBelow(key: string): Promise<'done' | 'more'>;
};
