import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { FakeControlPlane, type OnEnd } from './fake-control-plane.ts';
import { type ListenerProgram, startProgram } from './listener-program.ts';

export type SharedListener = { controlPlane: FakeControlPlane; program: ListenerProgram };

/**
 * One listener for the tests of a describe block that are not about its own start or end, for starting it
 * costs more than most of what they do. Each has a deployment of its own, and looks only at what was said of
 * that.
 */
export function sharedListener(args: string[] = []): () => SharedListener {
  let shared: SharedListener | undefined;
  const endings: Parameters<OnEnd>[0][] = [];
  const onEnd: OnEnd = (end) => void endings.unshift(end);

  const get = (): SharedListener => {
    if (shared === undefined) throw new Error('The shared listener is not started.');
    return shared;
  };

  beforeAll(async () => {
    const controlPlane = await new FakeControlPlane().start(onEnd);
    shared = { controlPlane, program: await startProgram(controlPlane, args, onEnd) };
  });
  afterEach(() => {
    const problems = get().controlPlane.problems.splice(0);
    expect(problems).toEqual([]);
  });
  afterAll(async () => {
    for (const end of endings) await end();
  });
  return get;
}
