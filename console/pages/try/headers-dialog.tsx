import { useState } from 'preact/hooks';
import { giveHeaders, headersFor } from '../../data/agent-headers.ts';
import { headersIn, type ServerHeader } from '../../logic/server-request.ts';
import { Button } from '../../ui/button.tsx';
import { closeDialog, Dialog } from '../../ui/dialog.tsx';

type Props = { deploymentId: string; url: string; onClose: () => void; onGiven: () => void };

/** Takes what an agent wants to know who asks. It is not shown again. */
export function HeadersDialog({ deploymentId, url, onClose, onGiven }: Props) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const known = headersFor(deploymentId);
  const save = (form: Element) => {
    const headers = headersIn(text);
    const wrong = problemOf(headers);
    setProblem(wrong);
    if (wrong === undefined) give(headers, form);
  };
  const give = (headers: readonly ServerHeader[], inside: Element) => {
    giveHeaders(deploymentId, headers);
    onGiven();
    closeDialog(inside);
  };
  return (
    <Dialog title="How does this agent know who asks?" onClose={onClose} isFirm>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save(event.currentTarget);
        }}
      >
        <label class="field">
          <span>Headers</span>
          <textarea
            rows={3}
            class="mono"
            spellcheck={false}
            autocomplete="off"
            placeholder={
              known.length > 0
                ? `${known.map(({ name }) => name).join(', ')}: set`
                : 'Authorization: Bearer …'
            }
            value={text}
            aria-invalid={problem !== undefined}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <span class="small">
            One a line. This tab sends them to {new URL(url).host} alone, and forgets them when it is closed
            or reloaded.
          </span>
          {problem !== undefined && (
            <span class="field-problem" role="alert">
              {problem}
            </span>
          )}
        </label>
        <div class="actions">
          {known.length > 0 && (
            <Button onClick={({ currentTarget }) => give([], currentTarget)}>Forget them</Button>
          )}
          <Button onClick={({ currentTarget }) => closeDialog(currentTarget)}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={text.trim() === ''}>
            Use headers
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What is wrong with the headers; undefined: nothing. */
function problemOf(headers: readonly ServerHeader[]): string | undefined {
  if (headers.length === 0)
    return 'A header is a name, a colon and a value, such as Authorization: Bearer abc.';
  try {
    const sent = new Headers(headers.map(({ name, value }): [string, string] => [name, value]));
    if (headers.every(({ name }) => sent.has(name))) return undefined;
  } catch {
    // A name or a value that no header has.
  }
  return 'Your browser does not send a header with this name or value.';
}
