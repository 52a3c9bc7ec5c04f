import { dispatch } from '../../lib/app/engine/dispatch.ts';
import { engineDeps } from '../../lib/container.ts';
import { streamConsumer } from '../../lib/triggers/stream-consumer.ts';

export const create = streamConsumer('dispatch', dispatch);
export const handler = create(engineDeps);
