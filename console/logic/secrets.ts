/** What stands for a stored value: sent back, it keeps that value. */
export const MASK = '**********';

/** A secret as it is edited: its stored value, a new one, or to be removed. */
export type SecretEdit = { name: string; value: string; isStored: boolean; isRemoved: boolean };

export const editsOf = (names: readonly string[]): SecretEdit[] =>
  names.map((name) => ({ name, value: '', isStored: true, isRemoved: false }));

/** The list that a PATCH replaces the stored one with. */
export const secretsOf = (edits: readonly SecretEdit[]): { name: string; value: string }[] =>
  edits
    .filter(({ name, isRemoved }) => !isRemoved && name.trim() !== '')
    .map(({ name, value, isStored }) => ({
      name: name.trim(),
      value: isStored && value === '' ? MASK : value,
    }));

/** What a PATCH asks for to store the edits; an empty list would keep what is stored. */
export const secretsWish = (
  edits: readonly SecretEdit[],
): { secrets: ReturnType<typeof secretsOf> } | { clear_secrets: true } => {
  const secrets = secretsOf(edits);
  return secrets.length === 0 ? { clear_secrets: true } : { secrets };
};

/** Whether saving would change anything. */
export const isEdited = (edits: readonly SecretEdit[]): boolean =>
  edits.some(({ value, isStored, isRemoved, name }) =>
    isStored ? isRemoved || value !== '' : !isRemoved && name.trim() !== '',
  );

/**
 * The edits again on what is stored by now, after somebody else has changed it: own new values and removals
 * stay, secrets that the other has added are kept, and those that the other has removed come back only where
 * they have a new value here.
 */
export function merged(edits: readonly SecretEdit[], namesNow: readonly string[]): SecretEdit[] {
  const stored = new Set(namesNow);
  const own = new Map(edits.map((edit) => [edit.name.trim(), edit]));
  const kept = namesNow.map((name): SecretEdit => {
    const edit = own.get(name);
    return { name, value: edit?.value ?? '', isStored: true, isRemoved: edit?.isRemoved ?? false };
  });
  const added = edits
    .filter(({ name, value, isRemoved }) => !stored.has(name.trim()) && !isRemoved && value !== '')
    .map((edit): SecretEdit => ({ ...edit, isStored: false }));
  return [...kept, ...added];
}
