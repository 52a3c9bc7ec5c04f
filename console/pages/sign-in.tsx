import { signIn } from '../data/session.ts';
import { Mark } from '../ui/mark.tsx';

/** Takes a key for those who have not come by a link. */
export function SignIn({ problem }: { problem: string | undefined }) {
  return (
    <main class="sign-in">
      <h1>
        <Mark /> Slipway
      </h1>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget).get('key');
          if (typeof given === 'string') signIn(given.trim());
        }}
      >
        <label>
          API key
          <input
            name="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            pattern="\s*slp_[0-9A-Za-z]{49}\s*"
            title="It begins with slp_"
          />
        </label>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
      <p class="quiet">
        Or open the link that <code>npm start</code> has printed. <code>npm run slipway -- console</code>{' '}
        prints another one. A link works once.
      </p>
    </main>
  );
}
