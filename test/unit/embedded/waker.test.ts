import { expect, it } from 'vitest';
import { idOfWake, type Wake } from '../../../lib/adapters/webhook-waker.ts';
import { createEmbeddedWaker } from '../../../lib/embedded/waker.ts';
import { until } from '../../support/until.ts';

const wake: Wake = { tenantId: 't', webhookId: 'w' };

it('runs once more for whoever is woken meanwhile, and never twice at a time for one webhook', async () => {
  const waker = createEmbeddedWaker(idOfWake, () => undefined);
  const ends: (() => void)[] = [];
  let atOnce = 0;
  waker.onWake(async ({ webhookId }) => {
    if (webhookId !== 'w') return;
    atOnce += 1;
    expect(atOnce).toBe(1);
    await new Promise<void>((end) => ends.push(end));
    atOnce -= 1;
  });
  for (let n = 0; n < 5; n++) await waker.wake(wake);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await until(() => ends.length === 2, { what: 'a second run' });
  ends[1]?.();
  await until(() => atOnce === 0, { what: 'its end' });
  expect(ends).toHaveLength(2);
});

it('says what fails, and wakes nobody once it is closed', async () => {
  const errors: unknown[] = [];
  const waker = createEmbeddedWaker(idOfWake, (error) => errors.push(error));
  let runs = 0;
  waker.onWake(() => {
    runs += 1;
    return Promise.reject(new Error('down'));
  });
  await waker.wake(wake);
  await until(() => errors.length === 1, { what: 'the error' });
  waker.close();
  await waker.wake(wake);
  expect(runs).toBe(1);
});
