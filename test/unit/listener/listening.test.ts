import { describe, expect, it } from 'vitest';
import { onPort, parseListening, parseLsof } from '../../../lib/processes/table/listening.ts';

const HEADER =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const row = (address: string, state: string, inode: number) =>
  `   0: ${address} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0 100 0 0 10 0`;

describe('finding out who listens where', () => {
  it('reads listening rows that are reached over loopback', () => {
    const text = [
      HEADER,
      row('0100007F:1F40', '0A', 11),
      row('00000000:1F41', '0A', 12),
      row('0100007F:1F42', '01', 13),
      row('0A00000A:1F43', '0A', 14),
      '',
    ].join('\n');
    expect([...parseListening(text)]).toEqual([
      ['11', { host: '127.0.0.1', port: 8000 }],
      ['12', { host: '127.0.0.1', port: 8001, everywhere: true }],
    ]);
  });

  it('reads IPv6 rows: any address, and loopback alone', () => {
    const text = [
      HEADER,
      row(`${'0'.repeat(32)}:1F40`, '0A', 21),
      row('00000000000000000000000001000000:1F41', '0A', 22),
    ].join('\n');
    expect([...parseListening(text).values()]).toEqual([
      { host: '127.0.0.1', port: 8000, everywhere: true },
      { host: '::1', port: 8001 },
    ]);
  });

  it('reads what lsof prints', () => {
    const text = 'p12\nf3\nn127.0.0.1:8000\nf4\nn*:8001\np13\nf3\nn[::1]:8002\nn10.0.0.1:8003\n';
    expect(parseLsof(text)).toEqual([
      { host: '127.0.0.1', port: 8000, pid: 12 },
      { host: '127.0.0.1', port: 8001, everywhere: true, pid: 12 },
      { host: '::1', port: 8002, pid: 13 },
    ]);
  });

  it('prefers IPv4 when a port is open on both', () => {
    const both = [
      { host: '::1' as const, port: 1 },
      { host: '127.0.0.1' as const, port: 1 },
    ];
    expect(onPort(both, 1)?.host).toBe('127.0.0.1');
    expect(onPort(both, 2)).toBeUndefined();
  });
});
