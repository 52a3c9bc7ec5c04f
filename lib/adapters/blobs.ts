/** Files by key (tarballs, artifacts): S3, or a folder of this machine. Keys are `/`-separated, each part `[A-Za-z0-9._-]+`. */
export type Blobs = {
  /** A signed GET for one object. */
  downloadUrl(key: string, expiresSeconds: number): Promise<string>;
  head(key: string): Promise<{ sizeBytes: number; versionId: string | undefined } | undefined>;
  delete(key: string): Promise<void>;
};
