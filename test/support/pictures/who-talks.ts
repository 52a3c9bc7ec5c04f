import { arrow, box, group, label, lines, type Picture } from './shapes.ts';

export const whoTalks: Picture = {
  name: 'who-talks',
  title: 'Who talks to whom',
  description:
    'People, CI and agents call the API over HTTPS, and git hosts tell it of pushes. A request is one transaction in one table. The stream of the table wakes dispatch, which starts a state machine for each revision, and events, which fill the feed and call webhooks. The state machine has the builder build the source, which it fetches from the git host, and offers a task to the listener. The listener calls the API and is never called. It starts servers and moves their address. Users of agents reach the servers at that address, past the control plane.',
  height: 470,
  shapes: [
    group([212, 24, 348, 330], 'Control plane', { meta: 'AWS, or one process' }),
    group([600, 24, 176, 330], 'Where agents run'),

    box([24, 66, 148, 52], 'Clients', { icon: 'users', notes: ['people, CI, agents'] }),
    box([24, 392, 148, 52], 'Git host', { icon: 'git-branch', notes: ['has the source'] }),

    box([228, 66, 148, 92], 'API', { icon: 'globe', notes: ['checks who asks', 'and what is asked'] }),
    box([228, 206, 148, 52], 'One table', { icon: 'database', notes: ['holds everything'] }),
    box([228, 286, 148, 52], 'Dispatch', { icon: 'split', notes: ['what comes next'] }),
    box([400, 206, 144, 52], 'Events', { icon: 'webhook', notes: ['feed, webhooks'] }),
    box([400, 286, 144, 52], 'Workflow', { icon: 'workflow', notes: ['one per revision'] }),
    box([400, 392, 144, 52], 'Builder', { icon: 'hammer', notes: ['source to server'] }),

    box([616, 66, 144, 68], 'Listener', { icon: 'radio', notes: ['asks for work,', 'is never called'] }),
    box([616, 186, 144, 52], 'Servers', { icon: 'server', notes: ['of each revision'] }),
    box([616, 286, 144, 52], 'Address', { icon: 'network', notes: ['of what serves'] }),
    box([616, 392, 144, 52], 'Users', { icon: 'users', notes: ['of agents'] }),

    arrow([
      [172, 92],
      [228, 92],
    ]),
    arrow([
      [98, 392],
      [98, 136],
      [228, 136],
    ]),
    label([110, 172], 'pushes'),
    arrow([
      [302, 158],
      [302, 206],
    ]),
    label([312, 186], 'one transaction'),
    arrow([
      [302, 258],
      [302, 286],
    ]),
    label([312, 276], 'stream'),
    arrow([
      [376, 232],
      [400, 232],
    ]),
    arrow([
      [376, 312],
      [400, 312],
    ]),
    arrow([
      [472, 338],
      [472, 392],
    ]),
    label([482, 380], 'starts'),
    arrow([
      [400, 418],
      [172, 418],
    ]),
    label([286, 410], 'fetches one commit', { anchor: 'middle' }),
    arrow([
      [616, 92],
      [376, 92],
    ]),
    ...lines([388, 112], ['claims tasks, reports,', 'sends logs']),
    arrow([
      [688, 134],
      [688, 186],
    ]),
    label([698, 164], 'starts'),
    arrow([
      [688, 286],
      [688, 238],
    ]),
    arrow([
      [688, 392],
      [688, 338],
    ]),
    label([698, 380], 'ask'),
  ],
};
