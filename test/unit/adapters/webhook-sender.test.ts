import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { openWebhookSender } from '../../../lib/adapters/outbound/webhook-sender.ts';
import { aReceiver } from '../../support/world/webhook-world.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const atHome = { allowedHosts: [], loopback: true };
const message = {
  id: 'event',
  at: Date.parse('2026-11-21T00:00:00Z'),
  body: '{"type":"a"}',
  secrets: [secret],
};

describe('a message', () => {
  it('is signed with each secret for the time of the attempt, as the standard says', async () => {
    const receiver = await aReceiver(() => message.at);
    const sender = openWebhookSender(atHome);
    const answer = await sender.send({ ...message, url: receiver.url, secrets: [secret, other] });
    expect(answer).toEqual({ status: 204 });
    const [{ headers, body } = expect.fail('nothing came')] = receiver.received;
    expect(headers).toMatchObject({ 'webhook-id': 'event', 'webhook-timestamp': String(message.at / 1000) });
    const clock = vi.spyOn(Date, 'now').mockReturnValue(message.at);
    for (const one of [secret, other]) expect(new Webhook(one).verify(body, headers)).toEqual({ type: 'a' });
    const strange = new Webhook(`whsec_${Buffer.alloc(32, 9).toString('base64')}`);
    expect(() => strange.verify(body, headers)).toThrow();
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    clock.mockRestore();
  });

  it.each([
    ['a receiver that never answers', 0.2, () => undefined, 'No answer came within 0.2 s.'],
    [
      'one that closes the connection',
      60,
      (response: { destroy(): unknown }) => void response.destroy(),
      'The connection failed: ECONNRESET.',
    ],
  ])('to %s fails in words, without the address', async (_, timeoutSeconds, answer, reason) => {
    const receiver = await aReceiver(Date.now);
    receiver.answer = answer;
    const sender = openWebhookSender(atHome, { timeoutSeconds });
    expect(await sender.send({ ...message, url: receiver.url })).toEqual({ reason });
  });

  it.each(['https://10.0.0.7/', 'https://169.254.169.254/', 'http://example.com/', 'https://127.0.0.1/'])(
    'goes nowhere private: %s',
    async (url) => {
      const sender = openWebhookSender({ allowedHosts: [], loopback: false });
      expect(await sender.send({ ...message, url })).toEqual({
        reason: expect.stringMatching(/^The address is refused/),
      });
    },
  );

  it('follows no redirect, and reads no answer that has no end', async () => {
    const receiver = await aReceiver(Date.now);
    receiver.answer = 301;
    const sender = openWebhookSender(atHome);
    expect(await sender.send({ ...message, url: receiver.url })).toEqual({ status: 301 });
    expect(receiver.received).toHaveLength(1);
    receiver.answer = (response) => {
      response.writeHead(200);
      const flood = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.on('close', () => clearInterval(flood));
    };
    expect(await sender.send({ ...message, url: receiver.url })).toEqual({ status: 200 });
  });
});
