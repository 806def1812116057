import type { Tree } from './rules.ts'
import { COMMENT_OR_TEXT } from './vocabulary.ts'

/** Maximum words of a sentence. */
const WORDS_MAX = 30

/** A clause where a noun belongs. */
const OPENING = /^(?:What|Who|Whoever|Whatever|Of what|One that|So is|So does)\b/
const PRONOUN = /\b(?:none|nobody|somebody)\b/i
/** An amount without a figure: "so many", "as long". A comparison ("as long as") and a result ("so long that") are plain. */
const AMOUNT = /\b(?:so|as) (?:many|much|long)\b(?!(?: \S+){0,4} (?:as|that)\b)/i
const NEGATIONS = /\b(?:no(?!-)|not|never|nothing|cannot|none|nobody|neither)\b|n't\b/gi

/** Patterns of prose that readers have to read twice, with a test of one sentence for each. */
const PATTERNS: readonly { readonly name: string; readonly isIn: (prose: string) => boolean }[] = [
  { name: 'opening', isIn: (prose) => OPENING.test(prose) },
  { name: 'pronoun', isIn: (prose) => PRONOUN.test(prose) },
  { name: 'amount', isIn: (prose) => AMOUNT.test(prose) },
  { name: 'long', isIn: (prose) => wordCount(prose) > WORDS_MAX },
  { name: 'negations', isIn: (prose) => (prose.match(NEGATIONS)?.length ?? 0) > 1 },
]

/** A sentence that one of the patterns matches. */
type Finding = {
  readonly room: string
  readonly path: string
  readonly line: number
  readonly pattern: string
  readonly sentence: string
}

/**
 * Sentences that a pattern matches, once per pattern, in the comments of sources and in the text of Markdown, or in what
 * `read` finds in a file.
 */
export function unclearSentences(tree: Tree, read = readerOf): Finding[] {
  return [...tree].flatMap(([path, text]) =>
    read(path)(text).flatMap(({ line, prose }) =>
      sentences(prose).flatMap((sentence) => {
        // Code and quotations are values, not words of the sentence.
        const words = sentence.replace(/`[^`]*`|"[^"]*"/g, 'x')
        return PATTERNS.filter(({ isIn }) => isIn(words)).map(({ name }) => ({
          room: path.split('/').slice(0, 2).join('/'),
          path,
          line,
          pattern: name,
          sentence,
        }))
      }),
    ),
  )
}

type Reader = (text: string) => { readonly line: number; readonly prose: string }[]

function readerOf(path: string): Reader {
  return path.endsWith('.md') ? paragraphs : comments
}

/** The headings, paragraphs, list items and table cells of Markdown without code. A cell that is one word is a value. */
function paragraphs(text: string): { line: number; prose: string }[] {
  const found: { line: number; prose: string }[] = []
  let isCode = false
  let isOpen = false
  for (const [at, row] of text.split('\n').entries()) {
    const isFence = /^\s*```/.test(row)
    if (isFence) isCode = !isCode
    if (isFence || isCode || row.trim() === '' || (!isOpen && /^ {4}/.test(row))) isOpen = false
    else if (/^\s*\|/.test(row)) found.push(...cells(row).map((prose) => ({ line: at + 1, prose })))
    else {
      const prose = row.replace(/^\s*(?:[-*]|\d+\.|#+)\s+/, '').trim()
      const last = found.at(-1)
      if (last && isOpen && prose === row.trim()) last.prose += `\n${prose}`
      else found.push({ line: at + 1, prose })
      isOpen = !row.startsWith('#')
    }
  }
  return found.map(({ line, prose }) => ({ line, prose: withoutMarks(prose) }))
}

function cells(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell.includes(' ') || OPENING.test(cell))
}

/** The text of links, without marks of emphasis. */
function withoutMarks(prose: string): string {
  return prose.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('**', '')
}

/** The comments of a source without their marks; consecutive lines of `//` are one comment. */
function comments(text: string): { line: number; prose: string }[] {
  const found: { line: number; end: number; prose: string }[] = []
  for (const match of text.matchAll(COMMENT_OR_TEXT)) {
    const { comment } = match.groups ?? {}
    if (comment === undefined || /^\/\/ biome-ignore/.test(comment)) continue
    const before = found.at(-1)
    const isContinued =
      before && comment.startsWith('//') && /^\n[ \t]*$/.test(text.slice(before.end, match.index))
    const end = match.index + comment.length
    const prose = comment.replace(/^\/\*+|\*\/$|^\/\/ ?/g, '').replace(/\n[ \t]*\*[ \t]?/g, '\n')
    if (isContinued) Object.assign(before, { end, prose: `${before.prose}\n${prose}` })
    else found.push({ line: text.slice(0, match.index).split('\n').length, end, prose })
  }
  return found
}

/** The texts of a source that are sentences: four words and more, from a capital letter on. An inserted value is a word. */
export function messages(text: string): { line: number; prose: string }[] {
  return [...text.matchAll(COMMENT_OR_TEXT)].flatMap((match) => {
    const [literal] = match
    if (!/^['"`]/.test(literal)) return []
    const prose = literal
      .slice(1, -1)
      .replace(/\$\{[^{}]*\}/g, 'x')
      .replace(/\\(.)/g, (_, mark: string) => (mark === 'n' ? '\n' : mark))
    const isSentence = /^[A-Z]/.test(prose) && prose.split(' ').length >= 4 && !SQL.test(prose)
    const line = text.slice(0, match.index).split('\n').length
    return isSentence ? [{ line, prose }] : []
  })
}

const SQL = /^(?:ALTER|BEGIN|CREATE|DELETE|INSERT|PRAGMA|SELECT|UPDATE|WITH) /

/** The sentences of a text. A blank line and the mark of a list item end one too. */
function sentences(prose: string): string[] {
  return prose
    .replace(/```[\s\S]*?```/g, '')
    .split(/\n\s*\n|\n\s*- |(?<=[.!?])\s+(?=[A-Z`"'(*]|prepd\b)/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')
}

function wordCount(sentence: string): number {
  return sentence.split(' ').filter((word) => /\w/.test(word)).length
}
