import type { ComponentChildren, ComponentProps } from 'preact'
import type { ConsoleSection, NamedCount } from '../../contract/console/figures.ts'
import { type Column, Table } from '../common/table.tsx'
import { countText } from './figures-text.ts'

type PanelProps = {
  readonly title: string
  /** The anchor of the panel, which links lead to. */
  readonly id?: ConsoleSection | undefined
  readonly why?: string | undefined
  readonly children?: ComponentChildren
}

export function ConsolePanel({ title, id, why, children }: PanelProps) {
  return (
    <section class="panel" id={id} aria-label={title}>
      <div class="head">
        <h2>{title}</h2>
        {why && <span class="end quiet">{why}</span>}
      </div>
      {children}
    </section>
  )
}

type TableProps<Row> = PanelProps &
  ComponentProps<typeof Table<Row>> & {
    /** The text for an empty table; without it, an empty table is hidden. */
    readonly none?: string | undefined
    /** Whether a long table gets a maximum height and scrolls. */
    readonly isLong?: boolean
  }

/** A panel with a scrolling table above its children. */
export function TablePanel<Row>({ title, id, why, none, isLong, ...table }: TableProps<Row>) {
  const { children, ...shown } = table
  if (table.rows.length === 0 && none === undefined) return null
  return (
    <ConsolePanel title={title} id={id} why={why}>
      {table.rows.length === 0 ? (
        <p class="empty">{none}</p>
      ) : (
        <Scrolling isLong={isLong}>
          <Table {...shown} />
        </Scrolling>
      )}
      {children}
    </ConsolePanel>
  )
}

type ScrollingProps = {
  readonly isLong?: boolean | undefined
  readonly children: ComponentChildren
}

export function Scrolling({ isLong, children }: ScrollingProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key as well.
    <div class={isLong ? 'scroll errors' : 'scroll'} tabIndex={0}>
      {children}
    </div>
  )
}

type CountsProps = Omit<PanelProps, 'why' | 'children'> & {
  readonly name: string
  readonly count: string
  readonly rows: readonly NamedCount[]
  /** The text for an empty table; without it, an empty table is hidden. */
  readonly none?: string
}

/** A table of names and their counts. */
export function CountsPanel({ title, id, name, count: head, rows, none }: CountsProps) {
  if (rows.length === 0 && none === undefined) return null
  const columns: readonly Column<NamedCount>[] = [
    [name, (row) => row.name],
    [head, (row) => countText(row.count)],
  ]
  return (
    <ConsolePanel title={title} id={id}>
      {rows.length === 0 ? (
        <p class="empty">{none}</p>
      ) : (
        <Table
          columns={columns}
          rows={rows}
          keyOf={(row) => row.name}
          attributesOf={(row) => ({ 'data-name': row.name })}
        />
      )}
    </ConsolePanel>
  )
}
