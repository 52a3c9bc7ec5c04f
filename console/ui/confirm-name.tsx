type Props = { name: string; value: string; set: (value: string) => void };

/** Asks for the name of what is to go, which nobody types by mistake. */
export const ConfirmName = ({ name, value, set }: Props) => (
  <label>
    <span>
      Type <strong>{name}</strong> to confirm
    </span>
    <input
      value={value}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
  </label>
);
