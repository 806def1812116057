/** Pairs of name and value; a pair that is false is left out. */
export type Rows = readonly (readonly [name: string, value: string] | false)[]

/** A list of names and values, such as the fields of a signed document. */
export function Pairs({ rows }: { readonly rows: Rows }) {
  return (
    <dl class="pairs">
      {rows.map(
        (row) =>
          row && (
            <div key={row[0]}>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
