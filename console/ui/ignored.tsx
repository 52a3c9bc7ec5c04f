import { useEffect, useState } from 'preact/hooks';
import { forgetIgnored, ignoredNow, onIgnored } from '../data/ignored.ts';

/** Which fields of a request the service did not read: they had no effect. */
export function Ignored() {
  const [fields, setFields] = useState(ignoredNow);
  useEffect(() => onIgnored(() => setFields(ignoredNow())), []);
  if (fields.length === 0) return null;
  return (
    <div class="apart" role="status">
      <p>
        The service ignored what it does not know: <code>{fields.join(', ')}</code>. It had no effect. Reload
        the page if Slipway was updated meanwhile.
      </p>
      <button type="button" onClick={forgetIgnored}>
        Dismiss
      </button>
    </div>
  );
}
