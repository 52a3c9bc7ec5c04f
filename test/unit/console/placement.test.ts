import { describe, expect, it } from 'vitest';
import { addressOf, canRun, chosenListener, listenerHint } from '../../../console/logic/placement.ts';

const listener = (id: string, changes: object = {}) => ({
  id,
  compute_id: id,
  compute_type: 'process' as const,
  status: 'ONLINE' as const,
  is_default: false,
  created_at: `2026-01-0${id}T00:00:00Z`,
  ...changes,
});

describe('where a new deployment runs', () => {
  it('is the marked listener, else the oldest that is online and can run it', () => {
    const [one, two, three] = [
      listener('1', { status: 'OFFLINE' }),
      listener('2'),
      listener('3', { compute_type: 'k8s' }),
    ];
    expect(chosenListener([three, two, one], 'git')?.id).toBe('2');
    expect(chosenListener([three, two, one], 'image')?.id).toBe('3');
    expect(chosenListener([three, two, { ...one, is_default: true }], 'folder')?.id).toBe('1');
    expect(chosenListener([one], 'git')).toBeUndefined();
    expect([canRun(two, 'image'), listenerHint(one), listenerHint(three)]).toEqual([
      false,
      'Machine, offline',
      'Kubernetes',
    ]);
  });

  it('is told by the addresses of others there', () => {
    const other = (name: string, url: string | null, listenerId = 'l') => ({
      name,
      url,
      source_config: { listener_id: listenerId } as Parameters<typeof addressOf>[2][number]['source_config'],
    });
    expect(
      addressOf('invoices', 'l', [other('a', null), other('hello', 'http://hello.localhost:4401/')]),
    ).toBe('http://invoices.localhost:4401');
    expect(addressOf('invoices', 'l', [other('hello', 'https://agents.example/d/hello')])).toBe(
      'https://agents.example/d/invoices',
    );
    expect(addressOf('invoices', 'l', [other('hello', 'https://own.example.com')])).toBeUndefined();
    expect(addressOf('invoices', 'l', [other('hello', 'http://hello.localhost', 'other')])).toBeUndefined();
    expect(addressOf('in_voices', 'l', [other('hello', 'http://hello.localhost')])).toBeUndefined();
  });
});
