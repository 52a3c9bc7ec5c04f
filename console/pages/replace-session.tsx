import { answerLink } from '../data/session.ts';
import { Mark } from '../ui/mark.tsx';
import { Who } from '../ui/who.tsx';

/** Asks before a link takes the place of the session: it may be somebody else's, and lead to their tenant. */
export function ReplaceSession() {
  return (
    <main class="sign-in" id="main">
      <h1>
        <Mark /> Replace this sign-in?
      </h1>
      <p>You are signed in:</p>
      <Who />
      <p>
        The link signs you in as the person who created it, with their role and in their tenant. If somebody
        sent it to you, everything you do from then on counts as theirs.
      </p>
      <p class="actions">
        <button type="button" class="primary" onClick={() => void answerLink(false)}>
          Stay signed in
        </button>
        <button type="button" onClick={() => void answerLink(true)}>
          Use the link
        </button>
      </p>
      <p class="quiet">
        If you stay, the link is not used up. It works for five minutes after it was created.
      </p>
    </main>
  );
}
