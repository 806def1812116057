import type { Changes, Database, SQLQueryBindings } from 'bun:sqlite'
import type { StoreTrouble } from './errors.ts'
import type { Statement, StatementValues } from './statement.ts'

/** A prepared statement. */
type Prepared<Row, Bound extends SQLQueryBindings[]> = {
  readonly run: (...bound: Bound) => Changes
  readonly get: (...bound: Bound) => Row | null
  readonly all: (...bound: Bound) => Row[]
}

type Transaction<Given extends unknown[], Value> = {
  (...given: Given): Value
  /** Begins as a writer (BEGIN IMMEDIATE). */
  readonly immediate: (...given: Given) => Value
}

/** The functions of a connection that tables use. */
export type Statements = {
  readonly prepare: <Row, Bound extends SQLQueryBindings[]>(sql: string) => Prepared<Row, Bound>
  /** Prepares a statement that PostgreSQL runs as well. */
  readonly shared: <Row extends object, Bound extends StatementValues>(
    statement: Statement<Row, Bound>,
  ) => Prepared<Row, [Bound]>
  readonly transaction: <Given extends unknown[], Value>(
    work: (...given: Given) => Value,
  ) => Transaction<Given, Value>
}

/** The connections and functions that a table of a file uses. */
export type TableAccess = {
  /** Commits are in the kernel. */
  readonly database: Statements
  /** The connection on which the steps of `durably` run. Only commits of `durably` are certain to be on disk. */
  readonly synced: Statements
  /**
   * Runs steps on `synced` in a transaction that begins as a writer. Durable when the promise resolves. If the sync of
   * the commit fails, calls `undo` with the result of the steps.
   */
  readonly durably: <Value>(steps: () => Value, undo?: (value: Value) => void) => Promise<Value>
  readonly guard: StoreTrouble['guard']
}

/**
 * Opens the connection and prepares each statement at first use. A start runs few statements, and preparing all of them
 * would cost milliseconds.
 */
export function createLazyStatements(connection: () => Database): Statements {
  const prepare = <Row, Bound extends SQLQueryBindings[]>(sql: string): Prepared<Row, Bound> => {
    const ready = createLazyValue(() => connection().prepare<Row, SQLQueryBindings[]>(sql))
    return {
      run: (...bound) => ready().run(...bound),
      get: (...bound) => ready().get(...bound),
      all: (...bound) => ready().all(...bound),
    }
  }
  return {
    prepare,
    shared: ({ text }) => prepare(text),
    transaction: (work) => {
      const ready = createLazyValue(() => connection().transaction(work))
      return Object.assign((...given: Parameters<typeof work>) => ready()(...given), {
        immediate: (...given: Parameters<typeof work>) => ready().immediate(...given),
      })
    },
  }
}

/** A value that the first call creates; `made` returns null until then. */
export type LazyValue<Value> = { (): Value; readonly made: () => Value | null }

export function createLazyValue<Value extends object>(make: () => Value): LazyValue<Value> {
  let made: Value | null = null
  const get = () => {
    made ??= make()
    return made
  }
  return Object.assign(get, { made: () => made })
}
