type Value = string | number | bigint | boolean | null

/** The values of a statement, by name. */
export type StatementValues = Readonly<Record<string, Value>>

/** Values for PostgreSQL, which also takes lists. */
export type ListedValues = Readonly<Record<string, Value | readonly Value[]>>

/** An SQL statement with the types of its rows and of its `$name` values. SQLite and PostgreSQL can share it. */
export type Statement<Row extends object, Bound extends ListedValues> = {
  readonly text: string
  /** Exists only for the types. */
  readonly types?: { readonly row: Row; readonly bound: Bound }
}

/** A statement from SQL text. Without `$names` it takes no values. */
export function statement<
  Row extends object = object,
  Bound extends ListedValues = Readonly<Record<string, never>>,
>(text: string): Statement<Row, Bound> {
  return { text }
}
