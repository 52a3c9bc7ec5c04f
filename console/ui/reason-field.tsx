import { TextField } from './field.tsx';

const LENGTH_MAX = 200;

/** Why something is done. */
export const ReasonField = ({ value, set }: { value: string; set: (reason: string) => void }) => (
  <TextField
    label="Reason (optional; the audit log keeps it)"
    of="reason"
    lengthMax={LENGTH_MAX}
    value={value}
    set={set}
  />
);
