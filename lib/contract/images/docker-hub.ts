/** Names of one registry: what no registry is named for comes from it too. */
const HOSTS = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com']);

/**
 * Whether a reference to an image names Docker Hub. What stands before the first slash is a host only if it
 * has a dot or a port, or is `localhost`.
 */
export function isOnDockerHub(image: string): boolean {
  const [first = '', ...path] = image.split('/');
  const isHost = path.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return !isHost || HOSTS.has(first.toLowerCase().replace(/:443$/, ''));
}
