import type { ComponentChildren } from 'preact';
import type { Answer, Ask, Endpoint } from '../../lib/client/endpoints.ts';
import { PREFIX } from '../data/place.ts';
import { useChange } from '../data/queries.ts';
import { curlOf } from '../logic/curl.ts';
import { Copy } from './copy.tsx';
import { closeDialog, Dialog } from './dialog.tsx';
import { Refused } from './field.tsx';
import { Problem } from './states.tsx';

type Props<E extends Endpoint> = {
  title: string;
  /** What the button says that does it. */
  verb: string;
  isDanger?: boolean;
  /** Whether what is filled in is enough. */
  isReady?: boolean;
  endpoint: E;
  parts: Ask<E>;
  onClose: () => void;
  /** Absent: the dialog closes. */
  onDone?: ((answer: Answer<E>) => void) | undefined;
  children?: ComponentChildren;
};

/** Asks before something is done: what it takes, the same as a command, and the deed. */
export function ActionDialog<E extends Endpoint>(props: Props<E>) {
  const { title, verb, isDanger = false, isReady = true, endpoint, parts, onClose, children } = props;
  const change = useChange(endpoint, props.onDone ?? onClose);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(parts);
        }}
      >
        <Refused.Provider value={change.error}>{children}</Refused.Provider>
        {change.error !== null && <Problem error={change.error} />}
        <div class="actions">
          <Copy text={curlOf(location.origin + PREFIX, endpoint, parts)} label="Copy as curl" />
          <button type="button" onClick={({ currentTarget }) => closeDialog(currentTarget)}>
            Cancel
          </button>
          <button
            type="submit"
            class={isDanger ? 'danger' : 'primary'}
            disabled={!isReady || change.isPending}
          >
            {change.isPending ? 'Asking…' : verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
