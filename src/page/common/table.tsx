import type { ComponentChildren } from 'preact'

type Attributes = {
  readonly class?: string
  readonly title?: string
  readonly [data: `data-${string}`]: string | number | boolean
}

/** A column of a table: its heading, what a row shows in it, and the attributes of that cell. */
export type Column<Row> = readonly [
  name: string,
  cell: (row: Row) => ComponentChildren,
  attributes?: (row: Row) => Attributes,
]

type TableProps<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
  readonly attributesOf?: ((row: Row) => Attributes) | undefined
}

/** A table of rows. Each cell names its column, which is shown where a row is a card. */
export function Table<Row>({ columns, rows, keyOf, attributesOf }: TableProps<Row>) {
  return (
    <HeadedTable head={columns.map(([name]) => name)}>
      {rows.map((row) => (
        <tr key={keyOf(row)} {...attributesOf?.(row)}>
          {columns.map(([name, cell, attributes]) => (
            <td key={name} data-name={name} {...attributes?.(row)}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </HeadedTable>
  )
}

type HeadedProps = { readonly head: readonly string[]; readonly children: ComponentChildren }

/** A table with a heading over each column, whose rows are more than a row each. */
export function HeadedTable({ head, children }: HeadedProps) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}
