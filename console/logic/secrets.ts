/** What stands for a stored value: sent back, it keeps that value. */
export const MASK = '**********';

/**
 * A secret as it is edited. `value` null: the stored one is kept, or none was given yet. A name that is only
 * asked for is sent once it has a value.
 */
export type SecretEdit = { name: string; value: string | null; isStored: boolean; isRemoved: boolean };

type Named = { name: string };

export const editsOf = (names: readonly string[]): SecretEdit[] =>
  names.map((name) => ({ name, value: null, isStored: true, isRemoved: false }));

/** One that is not stored. */
export const newSecret = (name = '', value: string | null = null): SecretEdit => ({
  name,
  value,
  isStored: false,
  isRemoved: false,
});

/** What was pasted, put into the list: one that is there gets the new value, where it stands. */
export function withPasted(
  edits: readonly SecretEdit[],
  pasted: readonly { name: string; value: string }[],
): SecretEdit[] {
  const values = new Map(pasted.map(({ name, value }) => [name, value]));
  const kept = edits.map((edit) => {
    const value = values.get(edit.name.trim());
    values.delete(edit.name.trim());
    return value === undefined ? edit : { ...edit, value, isRemoved: false };
  });
  return [...kept, ...[...values].map(([name, value]) => newSecret(name, value))];
}

/**
 * The list with a row for each name that is asked for, and without those that something else has asked for.
 */
export function withAsked(edits: readonly SecretEdit[], asked: readonly Named[]): SecretEdit[] {
  const kept = edits.filter(({ value, isStored }) => isStored || value !== null);
  const there = new Set(kept.map(({ name }) => name.trim()));
  return [...kept, ...asked.filter(({ name }) => !there.has(name)).map(({ name }) => newSecret(name))];
}

const isSent = ({ name, value, isStored, isRemoved }: SecretEdit): boolean =>
  !isRemoved && name.trim() !== '' && (isStored || value !== null);

/** Of the names that a project asks for, those that would have no value. */
export function missingOf<A extends Named>(asked: readonly A[], edits: readonly SecretEdit[]): A[] {
  const given = new Set(edits.filter(isSent).map(({ name }) => name.trim()));
  return asked.filter(({ name }) => !given.has(name));
}

/** The list that a request replaces the stored one with. */
export const secretsOf = (edits: readonly SecretEdit[]): { name: string; value: string }[] =>
  edits.filter(isSent).map(({ name, value }) => ({ name: name.trim(), value: value ?? MASK }));

/** Where a row is in that list, as refusals count; -1: it is not sent. */
export const sentIndex = (edits: readonly SecretEdit[], index: number): number => {
  const edit = edits[index];
  return edit === undefined || !isSent(edit) ? -1 : edits.slice(0, index).filter(isSent).length;
};

/** What a PATCH asks for to store the edits; an empty list would keep what is stored. */
export const secretsWish = (
  edits: readonly SecretEdit[],
): { secrets: ReturnType<typeof secretsOf> } | { clear_secrets: true } => {
  const secrets = secretsOf(edits);
  return secrets.length === 0 ? { clear_secrets: true } : { secrets };
};

/** The same for `source_config.build_secrets`. */
export const buildSecretsWish = (
  edits: readonly SecretEdit[],
): { build_secrets: ReturnType<typeof secretsOf> } | { clear_build_secrets: true } => {
  const secrets = secretsOf(edits);
  return secrets.length === 0 ? { clear_build_secrets: true } : { build_secrets: secrets };
};

/** Whether saving would change anything. */
export const isEdited = (edits: readonly SecretEdit[]): boolean =>
  edits.some((edit) => (edit.isStored ? edit.isRemoved || edit.value !== null : isSent(edit)));

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
    return { name, value: edit?.value ?? null, isStored: true, isRemoved: edit?.isRemoved ?? false };
  });
  const added = edits
    .filter(({ name, value, isRemoved }) => !stored.has(name.trim()) && !isRemoved && value !== null)
    .map((edit): SecretEdit => ({ ...edit, isStored: false }));
  return [...kept, ...added];
}

/** How long a value is, for who pasted it: the value itself is never shown. */
export function lengthText(value: string): string {
  const lines = value.split('\n').length;
  if (value === '') return 'Empty';
  return `${value.length.toLocaleString('en')} ${value.length === 1 ? 'character' : 'characters'}${lines > 1 ? `, ${lines} lines` : ''}`;
}
