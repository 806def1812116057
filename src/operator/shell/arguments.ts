/** A word quoted for a POSIX shell if necessary. */
export function shellArgument(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** One part of a word: between single quotes, between double quotes, or plain with escapes. */
const PART = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|((?:[^\s'"\\]|\\[\s\S])+)/y

/**
 * The words of a command, split at white space outside quotes as a POSIX shell does, without expansion. Null for an
 * unclosed quote or a final backslash.
 */
export function shellArguments(text: string): readonly string[] | null {
  const words: string[] = []
  let at = 0
  for (;;) {
    at += text.slice(at).search(/\S|$/)
    if (at === text.length) return words
    let word = ''
    while (at < text.length && /\S/.test(text.charAt(at))) {
      PART.lastIndex = at
      const part = PART.exec(text)
      if (!part) return null
      const [whole, single, double, plain = ''] = part
      word +=
        single ??
        double?.replace(/\\([$`"\\\n])/g, unescaped) ??
        plain.replace(/\\([\s\S])/g, unescaped)
      at += whole.length
    }
    words.push(word)
  }
}

/** The character after a backslash; '' if that character is a line break. */
function unescaped(_: string, char: string): string {
  return char === '\n' ? '' : char
}
