const BLOCK = /^ *```sh\n([^]*?)^ *```$/gm;

/**
 * The commands in the `sh` blocks of a page, in order, each as one line: without comments, and with those
 * parts joined that a backslash continues.
 */
export function shellCommandsIn(page: string): string[] {
  return [...page.matchAll(BLOCK)].flatMap(([, block = '']) =>
    block
      .replaceAll(/ *\\\n\s*/g, ' ')
      .split('\n')
      .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
      .filter((line) => line !== ''),
  );
}
