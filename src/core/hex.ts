/** Lower-case hex, two characters a byte, without `0x`. */
export function toHex(bytes: Uint8Array): string {
  return bytes.toHex()
}

/** The bytes of a hex text in any case, with or without `0x`; null when a character is alien or one is missing. */
export function fromHex(text: string): Uint8Array | null {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  return EVEN_HEX.test(digits) ? Uint8Array.fromHex(digits) : null
}

/** Whether a text is `0x` and 40 hex characters, in any case and whatever its checksum. */
export function isAddress(text: string): boolean {
  return ADDRESS.test(text)
}

/** `0x1234…abcd`: enough to recognise an address, not to look it up. */
export function abbreviate(address: unknown): string {
  const text = typeof address === 'string' ? address : ''
  return text.length > 12 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text
}

const EVEN_HEX = /^(?:[0-9a-fA-F]{2})*$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
