type Props = { label: string; value: string; set: (value: string) => void; problem: string | undefined };

/** A value as JSON, for what no form fits. */
export const JsonField = ({ label, value, set, problem }: Props) => (
  <label class="field">
    <span>{label}</span>
    <textarea
      class="mono"
      rows={6}
      spellcheck={false}
      value={value}
      aria-invalid={problem !== undefined}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
    {problem !== undefined && (
      <span class="field-problem" role="alert">
        {problem}
      </span>
    )}
  </label>
);
