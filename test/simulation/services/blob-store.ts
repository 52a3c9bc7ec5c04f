/** Files by key, without their bytes. */
export class BlobStore {
  readonly keys = new Set<string>();

  list(below: string): { key: string; sizeBytes: number }[] {
    return [...this.keys].filter((key) => key.startsWith(`${below}/`)).map((key) => ({ key, sizeBytes: 1 }));
  }

  head(key: string): { sizeBytes: number; versionId: undefined } | undefined {
    return this.keys.has(key) ? { sizeBytes: 1, versionId: undefined } : undefined;
  }

  delete(key: string): void {
    this.keys.delete(key);
  }

  deleteBelow(below: string): void {
    for (const { key } of this.list(below)) this.keys.delete(key);
  }
}
