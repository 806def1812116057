import type { ComponentChildren } from 'preact'

type Props = { readonly head: readonly string[]; readonly children: ComponentChildren }

/** A table with a heading over each column. */
export function Table({ head, children }: Props) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}
