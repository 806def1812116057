/** How many rows of a history are kept when nothing else is said. */
const KEPT_MAX = 500

/** Appends a row; the oldest go when there are too many. Answers the row. */
export function keep<Row>(rows: Row[], row: Row, max: number = KEPT_MAX): Row {
  rows.push(row)
  if (rows.length > max) rows.splice(0, rows.length - max)
  return row
}
