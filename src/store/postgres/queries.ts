import type { Statement, Values } from '../statement.ts'
import type { Session } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

/** How a table is asked. All throw Failure `store_unavailable` where PostgreSQL does not answer. */
export type Queries = {
  readonly rows: <Row extends object, Bound extends Values>(
    statement: Statement<Row, Bound>,
    values: NoInfer<Bound>,
  ) => Promise<readonly Row[]>
  /** The first row; null for none. */
  readonly row: <Row extends object, Bound extends Values>(
    statement: Statement<Row, Bound>,
    values: NoInfer<Bound>,
  ) => Promise<Row | null>
  /** How many rows were changed. */
  readonly change: <Bound extends Values>(
    statement: Statement<object, Bound>,
    values: NoInfer<Bound>,
  ) => Promise<number>
  /** Runs the steps as one transaction; a throw, which may be theirs, undoes them all. */
  readonly transact: <Value>(steps: (session: Session) => Promise<Value>) => Promise<Value>
}

export function queriesOf({ ask, transact }: Pick<Link, 'ask' | 'transact'>): Queries {
  return {
    rows: async (statement, values) => (await guarded(ask(statement, values))).rows,
    row: async (statement, values) => (await guarded(ask(statement, values))).rows[0] ?? null,
    change: async (statement, values) => (await guarded(ask(statement, values))).count,
    transact: (steps) => guarded(transact(steps)),
  }
}
