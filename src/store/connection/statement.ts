type Value = string | number | bigint | boolean | null

/** The values of a statement, by name. */
export type Values = Readonly<Record<string, Value>>

/** The same for PostgreSQL alone, which takes lists as well. */
export type ListedValues = Readonly<Record<string, Value | readonly Value[]>>

/** A statement of SQL: its rows, and the values that its `$names` stand for. A file and PostgreSQL can have it in common. */
export type Statement<Row extends object, Bound extends ListedValues> = {
  readonly text: string
  /** Never there: the types alone. */
  readonly types?: { readonly row: Row; readonly bound: Bound }
}

/** The statement of a text. One without `$names` is given no values. */
export function statement<
  Row extends object = object,
  Bound extends ListedValues = Readonly<Record<string, never>>,
>(text: string): Statement<Row, Bound> {
  return { text }
}
