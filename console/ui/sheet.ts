/** By address. */
const loaded = new Map<string, Promise<void>>();

/**
 * Adds a style that few pages need, by its address beside the script that asks for it, and resolves once it
 * counts; each once, whoever asks. Rejects where it is not there any more: it belongs to an earlier version.
 */
export function loadSheet(path: string, script: string): Promise<void> {
  const { href } = new URL(path, script);
  const sheet = loaded.get(href) ?? load(href);
  loaded.set(href, sheet);
  return sheet;
}

function load(href: string): Promise<void> {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  return new Promise((resolve, reject) => {
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => {
      loaded.delete(href);
      reject(new Error(`${href} could not be loaded`));
    });
    document.head.append(link);
  });
}
