import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers } from '../../../../lib/compute/kubernetes/mend.ts';
import { megabytesOf, quantityOf } from '../../../../lib/compute/kubernetes/quantities.ts';

const wanted = {
  metadata: { labels: { a: '1' } },
  spec: { ports: [{ port: 80 }], resources: { limits: { memory: '1024Mi', cpu: '1500m' } } },
};

describe('whether an object of the cluster has what is wanted', () => {
  it('does not mind what the cluster has added, and how it writes quantities', () => {
    const live = {
      metadata: { labels: { a: '1', b: '2' }, uid: 'u' },
      spec: {
        ports: [{ port: 80, protocol: 'TCP' }],
        resources: { limits: { memory: '1Gi', cpu: '1.5' } },
        type: 'ClusterIP',
      },
      status: {},
    };
    expect(covers(live, wanted)).toBe(true);
  });

  it.each([
    { ...wanted, metadata: { labels: {} } },
    { ...wanted, metadata: { labels: { a: '2' } } },
    { ...wanted, spec: { ...wanted.spec, ports: [] } },
    { ...wanted, spec: { ...wanted.spec, ports: [{ port: 80 }, { port: 81 }] } },
    { ...wanted, spec: { ...wanted.spec, resources: { limits: { memory: '1025Mi', cpu: '1500m' } } } },
    { ...wanted, spec: undefined },
    undefined,
  ])('notices what is missing or another: %j', (live) => {
    expect(covers(live, wanted)).toBe(false);
  });

  it('holds of every object and itself', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => covers(value, value)));
  });
});

describe('a quantity', () => {
  it.each([
    ['250m', 0.25],
    ['2', 2],
    ['1.5', 1.5],
    ['512Mi', 512 * 1024 ** 2],
    ['1G', 1e9],
  ])('%s is a number', (text, number) => {
    expect(quantityOf(text)).toBeCloseTo(number, 9);
  });

  it.each(['', 'Mi', '12x', 'linux/amd64', '1,5'])('%j is none', (text) => {
    expect(quantityOf(text)).toBeUndefined();
  });

  it('of memory is read in MB', () => {
    expect([megabytesOf('1Gi'), megabytesOf('384Mi')]).toEqual([1024, 384]);
  });
});
