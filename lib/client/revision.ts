import type { Deployment, Revision } from './endpoints.ts';

const NUMBER_DIGITS = 8;

/** The number of a revision in its deployment, which is the end of its id. */
export const numberOf = (id: string): number => Number.parseInt(id.slice(-NUMBER_DIGITS), 16);

/** Where each kind of source comes from, as people see it. */
export const origins: Record<Deployment['source'], 'repository' | 'image' | 'upload'> = {
  github: 'repository',
  external_docker: 'image',
  internal_docker: 'upload',
  internal_source: 'upload',
};

/** A revision that was made before the first upload: nothing was there to build, which tells people nothing. */
export const isEmptyFirst = ({ id, status, source, source_revision_config: config }: Revision): boolean =>
  status === 'SKIPPED' &&
  numberOf(id) === 1 &&
  origins[source] === 'upload' &&
  config.source_tarball_path === null &&
  config.image_uri === null;
