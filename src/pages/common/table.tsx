import type { ComponentChildren } from 'preact'

type Attributes = {
  readonly class?: string
  readonly title?: string
  readonly [data: `data-${string}`]: string | number | boolean
}

/**
 * A column of a table: its heading, the content of a row's cell, and the attributes of that cell. Figures are aligned
 * to the right; texts are aligned to the left.
 */
export type Column<Row> = readonly [
  name: string,
  cell: (row: Row) => ComponentChildren,
  attributes?: ((row: Row) => Attributes) | undefined,
  kind?: 'text',
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
    <HeadedTable head={columns.map(([name]) => name)} kinds={columns.map(([, , , kind]) => kind)}>
      {rows.map((row) => (
        <tr key={keyOf(row)} {...attributesOf?.(row)}>
          {columns.map(([name, cell, attributes, kind]) => (
            <td key={name} data-name={name} data-as={kind} {...attributes?.(row)}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </HeadedTable>
  )
}

type HeadedProps = {
  readonly head: readonly string[]
  /** The kind of each column, by its place. */
  readonly kinds?: readonly (Column<unknown>[3] | undefined)[]
  readonly children: ComponentChildren
}

/** A table with headings, whose entries may take several rows each. */
export function HeadedTable({ head, kinds, children }: HeadedProps) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((name, at) => (
            <th key={name} data-as={kinds?.[at]}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}
