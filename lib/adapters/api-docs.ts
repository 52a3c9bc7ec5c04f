import type { ApiDocsFile } from '../contract/browser/api-docs.ts';

/** The description of the API and the files of its viewer's package. */
export type ApiDocs = { read(file: ApiDocsFile): Promise<string> };
