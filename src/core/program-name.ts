/** The longest name of a program that is kept or shown. */
const NAME_MAX_CHARS = 64

/** What a program calls itself, as one line of plain text; null where nothing of it can be shown. */
export function programName(text: string | null): string | null {
  if (text === null) return null
  const plain = text.slice(0, 4 * NAME_MAX_CHARS).replaceAll(/[^\x20-\x7e]/g, '')
  return plain.trim().slice(0, NAME_MAX_CHARS) || null
}
