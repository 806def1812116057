import type { ComponentChildren } from 'preact'

type Attributes = {
  readonly class?: string
  readonly title?: string
  readonly [data: `data-${string}`]: string | number | boolean
}

/**
 * A table column: its heading, a cell's content, and a cell's attributes. Cells are aligned to the right, or to the
 * left if `kind` is `text`.
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
  /** The heading of a column in place of its plain name. */
  readonly headingOf?: HeadedProps['headingOf']
}

/** A table of rows. Each cell has its column's name, which narrow screens show when they display a row as a card. */
export function Table<Row>({ columns, rows, keyOf, attributesOf, headingOf }: TableProps<Row>) {
  return (
    <HeadedTable
      head={columns.map(([name]) => name)}
      kinds={columns.map(([, , , kind]) => kind)}
      headingOf={headingOf}
    >
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

type Heading = {
  readonly content: ComponentChildren
  readonly direction: 'none' | 'ascending' | 'descending'
}

type HeadedProps = {
  readonly head: readonly string[]
  /** The kind of each column, in column order. */
  readonly kinds?: readonly (Column<unknown>[3] | undefined)[]
  /** The content and the sort direction of a heading; null for the plain name. */
  readonly headingOf?: ((name: string) => Heading | null) | undefined
  readonly children: ComponentChildren
}

/** A table with headings, whose entries may take several rows each. */
export function HeadedTable({ head, kinds, headingOf, children }: HeadedProps) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((name, at) => {
            const heading = headingOf?.(name)
            return (
              <th key={name} data-as={kinds?.[at]} aria-sort={heading?.direction}>
                {heading?.content ?? name}
              </th>
            )
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}
