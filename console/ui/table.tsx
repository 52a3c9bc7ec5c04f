import type { ComponentChildren } from 'preact';

export type Column<T> = { title: string; cell: (row: T) => ComponentChildren };

type Props<T> = {
  label: string;
  rows: readonly T[];
  keyOf: (row: T) => string;
  columns: readonly Column<T>[];
  /** What can be done with a row, at its end. */
  actions?: ((row: T) => ComponentChildren) | undefined;
};

/** A list as a table: its first column says which row it is. Narrow pages show each row as a block. */
export function Table<T>({ label, rows, keyOf, columns, actions }: Props<T>) {
  const [first, ...rest] = columns;
  return (
    <table class="list" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
          {actions !== undefined && (
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <th scope="row">{first?.cell(row)}</th>
            {rest.map(({ title, cell }) => (
              <td key={title} data-label={title}>
                {cell(row)}
              </td>
            ))}
            {actions !== undefined && (
              <td>
                <div class="row-actions">{actions(row)}</div>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
