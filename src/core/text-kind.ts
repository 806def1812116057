/** A kind of value given as text. */
export type TextKind<Value> = {
  /** The end of the sentence "NAME must be …". */
  readonly expects: string
  /** Parses a text; undefined if it does not match this kind. */
  readonly parse: (text: string) => Value | undefined
}
