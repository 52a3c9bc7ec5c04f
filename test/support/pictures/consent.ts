import { arrow, box, guide, label, lines, type Picture, type Point } from './shapes.ts';

const AGENT = 96;
const SLIPWAY = 300;
const BROWSER = 504;
const PROVIDER = 704;
const BOTTOM = 520;

const party = (x: number, title: string, note: string) => [
  box([x - 72, 24, 144, 52], title, { notes: [note] }),
  guide([
    [x, 76],
    [x, BOTTOM],
  ]),
];

let step = 0;
/** One message, with its number. */
function message(y: number, from: number, to: number, says: string, note?: string) {
  step += 1;
  const middle = (from + to) / 2;
  const path: readonly Point[] = [
    [from, y],
    [to, y],
  ];
  return [
    arrow(path),
    label([middle, y - 7], `${step}  ${says}`, { anchor: 'middle', tone: 'plain' }),
    ...(note === undefined ? [] : lines([middle, y + 17], [note], { anchor: 'middle' })),
  ];
}

export const consent: Picture = {
  name: 'oauth-consent',
  title: 'How a person consents',
  description:
    'An agent asks Slipway for a token and gets an address. The person opens it in a browser, reads who asks for what, and presses the button. The browser goes to the provider, where the person consents, and comes back with a code. Slipway checks that it is the same browser, and exchanges the code at the provider. The agent, which waits, gets an access token. The refresh token and the secret of the client stay with Slipway, which refreshes the access token when it is about to end.',
  height: 548,
  shapes: [
    ...party(AGENT, 'Agent', 'acts for a person'),
    ...party(SLIPWAY, 'Slipway', 'is the OAuth client'),
    ...party(BROWSER, 'Browser', 'of the person'),
    ...party(PROVIDER, 'Provider', 'has the account'),
    ...message(116, AGENT, SLIPWAY, 'authenticate', 'who, at whom, which scopes'),
    ...message(164, SLIPWAY, AGENT, 'url'),
    ...message(202, AGENT, BROWSER, 'shows the person the url'),
    ...message(242, BROWSER, SLIPWAY, 'opens it, presses the button', 'a cookie binds this browser'),
    ...message(298, BROWSER, PROVIDER, 'goes on to consent', 'with state and PKCE'),
    ...message(354, BROWSER, SLIPWAY, 'comes back with a code', 'cookie, state, issuer checked'),
    ...message(410, SLIPWAY, PROVIDER, 'exchanges the code for tokens'),
    ...message(450, SLIPWAY, AGENT, 'access token', 'to whoever waits'),
    ...message(506, SLIPWAY, PROVIDER, 'refreshes it later: the refresh token stays here'),
  ],
};
