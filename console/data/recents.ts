import { type Recent, recentsIn, withRecent } from '../logic/palette.ts';
import { onSession, sessionNow } from './session.ts';

/** The pages that somebody went to lately by the palette. Of one tab, and of who is signed in there. */
const RECENT = 'slipway.recent';

export const recents = (): Recent[] => recentsIn(sessionStorage.getItem(RECENT));

export const keepRecent = (recent: Recent): void =>
  sessionStorage.setItem(RECENT, JSON.stringify(withRecent(recents(), recent)));

// What one person has looked at, another does not see.
onSession(() => {
  if (!sessionNow().isSignedIn) sessionStorage.removeItem(RECENT);
});
