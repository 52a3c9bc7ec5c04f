import type { ViewerFile } from '../contract/viewer.ts';

/** The description of the API and the files of its viewer's package. */
export type Viewer = { read(file: ViewerFile): Promise<string> };
