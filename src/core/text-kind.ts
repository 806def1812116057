/** A kind of value given as text. */
export type TextKind<Value> = {
  /** The end of the sentence "NAME must be …". */
  readonly expects: string
  /** Undefined when the text is not of this kind. */
  readonly parse: (text: string) => Value | undefined
}
