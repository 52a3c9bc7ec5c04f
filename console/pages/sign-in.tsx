import { useEffect, useState } from 'preact/hooks';
import { signIn } from '../data/session.ts';
import { type Issuer, issuer, leaveFor } from '../data/sign-in.ts';
import { Button } from '../ui/button.tsx';
import { Mark } from '../ui/mark.tsx';

/** Signs in at the issuer, if there is one, or takes a key of those who have not come by a link. */
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
      <AtIssuer />
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
        <Button type="submit" kind="primary">
          Sign in
        </Button>
      </form>
      <p class="dim">
        Or open the link that <code>npm start</code> printed. <code>npm run slipway -- console</code> prints a
        new one. Each link works once.
      </p>
    </main>
  );
}

function AtIssuer() {
  const [settings, setSettings] = useState<Issuer | null>(null);
  const [isLeaving, setLeaving] = useState(false);
  useEffect(() => {
    // Without an answer there is the key.
    issuer().then(setSettings, () => undefined);
  }, []);
  if (settings === null) return null;
  const leave = async () => {
    setLeaving(true);
    await leaveFor(settings);
    setLeaving(false);
  };
  return (
    <p>
      <Button kind="primary" disabled={isLeaving} onClick={() => void leave()}>
        Sign in at {new URL(settings.issuer).host}
      </Button>
    </p>
  );
}
