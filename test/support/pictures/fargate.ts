import { arrow, box, group, label, type Picture } from './shapes.ts';

/** In the order of the sentence that they make: five prices, and two sums of them. */
export const bill: readonly [what: string, dollars: string][] = [
  ['Balancer', '16.43'],
  ['Server', '18.02'],
  ['Its address', '3.65'],
  ['Its secret', '0.40'],
  ['Alarm', '0.10'],
  ['First agent', '38.60'],
  ['Each further', '22.07'],
];
const COLUMN = 103;
const prices = bill.flatMap(([what, dollars], index) => {
  const x = 38 + index * COLUMN;
  const isSum = index >= bill.length - 2;
  return [
    label([x, 390], what),
    label([x, 410], `$${dollars}`, { tone: isSum ? 'ok' : 'plain', strong: true }),
  ];
});

export const fargate: Picture = {
  name: 'fargate',
  title: 'Agents on Fargate, and what they cost a month',
  description:
    'Users reach CloudFront over HTTPS. CloudFront alone reaches the balancer, which has no public address. The balancer leads to the servers of the revision that serves, in two zones. The revision before drains and is paid until it ends. Servers reach the internet directly, without a NAT gateway. The balancer is 16.43 dollars a month, a server of 0.5 CPU and 1 GB 18.02, its public address 3.65, its secret 0.40 and an alarm 0.10: 38.60 for the first agent, 22.07 for each further one.',
  height: 452,
  shapes: [
    box([24, 62, 152, 52], 'Users', { icon: 'users', notes: ['of all agents'] }),
    box([24, 170, 152, 84], 'CloudFront', { icon: 'cloud', notes: ['HTTPS; ranges and', 'web ACL, if set'] }),
    group([212, 24, 408, 276], 'Network', { meta: '10.42.0.0/16, two zones' }),
    group([228, 62, 164, 222], 'Balancer subnets'),
    group([424, 62, 180, 222], 'Agent subnets'),
    box([244, 170, 132, 84], 'Balancer', { icon: 'split', notes: ['internal: admits', 'CloudFront alone'] }),
    box([440, 98, 148, 78], 'Revision 13', { tone: 'ok', notes: ['servers that get', 'the requests'] }),
    box([440, 190, 148, 78], 'Revision 12', {
      tone: 'idle',
      notes: ['drains, and is paid', 'until it ends'],
    }),
    box([652, 98, 124, 78], 'Internet', { icon: 'globe', notes: ['without a NAT', 'gateway'] }),
    box([652, 190, 124, 78], 'Account', { icon: 'key-round', notes: ['secret and logs', 'of a revision'] }),
    arrow([
      [100, 114],
      [100, 170],
    ]),
    arrow([
      [176, 212],
      [244, 212],
    ]),
    arrow([
      [376, 212],
      [408, 212],
      [408, 137],
      [440, 137],
    ]),
    arrow([
      [588, 137],
      [652, 137],
    ]),
    arrow([
      [604, 229],
      [652, 229],
    ]),
    group([24, 332, 752, 96], 'A month', { meta: 'list prices of us-east-1, without requests and traffic' }),
    ...prices,
  ],
};
