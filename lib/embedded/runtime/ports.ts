import { freePort, isPortFree } from '../../processes/free-port.ts';

/** A port that the person chose is taken; the message names it. */
export class PortTaken extends Error {
  constructor(port: number, variable: string) {
    super(`Port ${port} is in use by another program. Choose another one with ${variable}.`);
  }
}

export const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/**
 * The port for agents: the one asked for, else that of the run before (URLs of deployments stay), else a free
 * one.
 */
export async function chooseAgentsPort(
  asked: number | undefined,
  before: number | undefined,
): Promise<number> {
  if (asked === undefined) return before !== undefined && (await isPortFree(before)) ? before : freePort();
  if (await isPortFree(asked)) return asked;
  throw new PortTaken(asked, 'SLIPWAY_AGENTS_PORT');
}
