/** Maximum length of a program's name. */
const NAME_MAX_CHARS = 64

/** The name that a program gives itself, as one line of plain text; null without displayable characters. */
export function programName(text: string | null): string | null {
  if (text === null) return null
  const plain = text.slice(0, 4 * NAME_MAX_CHARS).replaceAll(/[^\x20-\x7e]/g, '')
  return plain.trim().slice(0, NAME_MAX_CHARS) || null
}
