import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below what Linux (from 32768) and macOS (from 49152) give to connections that go out: among those, a port
 * that is free now may be in use by one when its server comes to bind it, or comes back to it after a
 * restart.
 */
const PORTS = { from: 20_000, below: 32_768 } as const;

/** Ports given out lately: two servers that start together must not get the same one. */
const recent = new Set<number>();
/**
 * Longer than a server normally takes to bind its port; after that the system itself knows that it is taken.
 */
const RESERVED_MILLISECONDS = 60_000;
/** On a machine where so many in a row are taken, something else is wrong. */
const ATTEMPTS_MAX = 100;

const LOOPBACK = '127.0.0.1';

/** Whether nothing listens on this port of an address of this machine now. */
export function isPortFree(port: number, host = LOOPBACK): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/**
 * A TCP port on which nothing listens now, not given out in the last minute, that no connection takes by
 * chance.
 */
export async function freePort(host = LOOPBACK): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const port = randomInt(PORTS.from, PORTS.below);
    if (recent.has(port) || !(await isPortFree(port, host))) continue;
    recent.add(port);
    setTimeout(() => recent.delete(port), RESERVED_MILLISECONDS).unref();
    return port;
  }
  throw new Error(`No free port was found between ${PORTS.from} and ${PORTS.below - 1}.`);
}
