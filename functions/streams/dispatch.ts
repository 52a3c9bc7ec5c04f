import { engineDeps } from '../../lib/container.ts';
import { dispatch } from '../../lib/core/engine/dispatch.ts';
import { streamConsumer } from '../../lib/triggers/stream-consumer.ts';

export const create = streamConsumer('dispatch', dispatch);
export const handler = create(engineDeps);
