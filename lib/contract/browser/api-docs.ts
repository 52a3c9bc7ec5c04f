import * as z from 'zod';

/** The API description, the page that shows it and the files of that page. All are served unchanged. */

/** In `docs`, made from the route table. */
export const DESCRIPTION_FILE = 'openapi.json';

/** Parts of the page that come as they are from the viewer's package. */
export const packageFiles = ['swagger-ui.css', 'swagger-ui-bundle.js'] as const;

/** What starts the viewer on our page; a page under a strict policy holds no scripts itself. */
export const START_FILE = 'start.js';

export type ApiDocsFile = typeof DESCRIPTION_FILE | (typeof packageFiles)[number];

export const pagePart = z.enum([...packageFiles, START_FILE]);

/** What a row with content types of its own shows: a text of one of them. */
export function textView<const T extends readonly [string, ...string[]]>(contentTypes: T) {
  return z.object({ contentType: z.enum(contentTypes), text: z.string() });
}
