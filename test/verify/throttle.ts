/** Twice what a route without a key lets through at once, by default. */
const REQUESTS = 80;
const WAVES_MAX = 3;
/** 503 is Lambda's own limit, which new accounts meet first. */
const EXPECTED = [200, 429, 503];

/**
 * Sends requests without a key, many at once, until some are refused for that, and gives how many were.
 * Throws when one has another answer, or when all are let through.
 */
export async function refusedByThrottle(baseUrl: string): Promise<number> {
  for (let wave = 0; wave < WAVES_MAX; wave += 1) {
    const statuses = await Promise.all(Array.from({ length: REQUESTS }, () => statusOf(`${baseUrl}/ok`)));
    const strange = statuses.filter((status) => !EXPECTED.includes(status));
    if (strange.length > 0) throw new Error(`GET /ok was answered with ${[...new Set(strange)].join(', ')}`);
    const refused = statuses.filter((status) => status === 429).length;
    if (refused > 0) return refused;
  }
  throw new Error(`GET /ok was never refused, though ${REQUESTS} came at once, ${WAVES_MAX} times`);
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}
