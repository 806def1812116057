/** A word as a POSIX shell reads it, quoted where it has to be. */
export function shellArgument(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** One part of a word: between single quotes, between double quotes, or plain with escapes. */
const PART = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|((?:[^\s'"\\]|\\[\s\S])+)/y

/**
 * The words of a command as a POSIX shell splits it: at white space outside quotes. Nothing is expanded. Null for a quote
 * without its end, and for a backslash at the end.
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

/** The character behind a backslash; a line that is continued has none. */
function unescaped(_: string, char: string): string {
  return char === '\n' ? '' : char
}
