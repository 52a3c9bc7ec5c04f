/**
 * The images of the stores that Slipway brings to servers of `langgraph.json`. By digest: a tag changes what
 * runs. A database's data fits one major version of Postgres only.
 */
export const DEFAULT_STORE_IMAGES = {
  /** With the extension that a server's store needs to search by meaning. */
  postgres:
    'docker.io/pgvector/pgvector:0.8.6-pg16-bookworm@sha256:a36250871de0833b8757561c72f2477ef1ddd1101afa4e617fb552e0de514c6b',
  redis:
    'docker.io/library/redis:7.2.16-bookworm@sha256:0637954999d01b7c9ce9167db2da50656e2590d3b884f1c600c5f63bb6e6773c',
} as const;

/** What stores were made with when there was no choice. */
export const EARLIER_STORE_IMAGES = {
  postgres: 'docker.io/pgvector/pgvector:pg16',
  redis: 'docker.io/library/redis:7.2',
} as const;
