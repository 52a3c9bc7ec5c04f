import { createServer } from 'node:net';

/** Ports given out lately: two servers that start together must not get the same one. */
const recent = new Set<number>();
/** Longer than a server normally takes to bind its port; after that the system itself knows that it is taken. */
const RESERVED_MILLISECONDS = 60_000;

function ask(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('No port was given.'));
        else resolve(address.port);
      });
    });
  });
}

/** A TCP port on which nothing listens now, not given out in the last minute. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await ask();
    if (recent.has(port)) continue;
    recent.add(port);
    setTimeout(() => recent.delete(port), RESERVED_MILLISECONDS).unref();
    return port;
  }
}
