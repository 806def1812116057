/** A decimal in its quotes, as long as amounts are anywhere: nothing in it is escaped or spelled otherwise. */
export const DECIMAL_TEXT = String.raw`"\d{1,64}(?:\.\d{1,64})?"`

/** A pattern, for use with `plainRows`, of rows with just these members, each by the source of what it may be. */
export function plainRow(members: readonly (readonly [name: string, value: string])[]): RegExp {
  return new RegExp(`{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`, 'y')
}
