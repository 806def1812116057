import type { Changes, Database, SQLQueryBindings } from 'bun:sqlite'
import type { Statement, Values } from './statement.ts'
import type { Trouble } from './trouble.ts'

/** A statement, ready to be run. */
type Prepared<Row, Bound extends SQLQueryBindings[]> = {
  readonly run: (...bound: Bound) => Changes
  readonly get: (...bound: Bound) => Row | null
  readonly all: (...bound: Bound) => Row[]
}

type Transaction<Given extends unknown[], Value> = {
  (...given: Given): Value
  /** Takes the file for writing as it begins. */
  readonly immediate: (...given: Given) => Value
}

/** What tables ask of a connection. */
export type Statements = {
  readonly prepare: <Row, Bound extends SQLQueryBindings[]>(sql: string) => Prepared<Row, Bound>
  /** The same of a statement that PostgreSQL runs as well. */
  readonly shared: <Row extends object, Bound extends Values>(
    statement: Statement<Row, Bound>,
  ) => Prepared<Row, [Bound]>
  readonly transaction: <Given extends unknown[], Value>(
    work: (...given: Given) => Value,
  ) => Transaction<Given, Value>
}

/** What tables of a file are made of. */
export type TableParts = {
  /** Commits are with the kernel. */
  readonly database: Statements
  /** Commits are on the disk. */
  readonly synced: Statements
  /** Runs steps on `synced` in a transaction that begins as a writer, and is on the disk when the promise is kept. */
  readonly durably: <Value>(steps: () => Value) => Promise<Value>
  readonly guard: Trouble['guard']
}

/**
 * A connection that is opened, and whose statements are prepared, by whoever first runs one: together that takes
 * milliseconds, and a start runs few of them.
 */
export function lateStatements(connection: () => Database): Statements {
  const prepare = <Row, Bound extends SQLQueryBindings[]>(sql: string): Prepared<Row, Bound> => {
    const ready = once(() => connection().prepare<Row, SQLQueryBindings[]>(sql))
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
      const ready = once(() => connection().transaction(work))
      return Object.assign((...given: Parameters<typeof work>) => ready()(...given), {
        immediate: (...given: Parameters<typeof work>) => ready().immediate(...given),
      })
    },
  }
}

/** Something that is made when it is first asked for, and kept; `made` is null until then. */
export type Late<Value> = { (): Value; readonly made: () => Value | null }

export function once<Value extends object>(make: () => Value): Late<Value> {
  let made: Value | null = null
  const get = () => {
    made ??= make()
    return made
  }
  return Object.assign(get, { made: () => made })
}
