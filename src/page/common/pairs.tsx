/** A list of names and values, such as of what is signed. */
export function Pairs({ rows }: { readonly rows: readonly (readonly [string, string])[] }) {
  return (
    <dl class="pairs">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
