/** A section of a document: its heading, and its text without markup. */
type Section = {
  readonly document: string
  /** The path of the page, with the id of the heading. */
  readonly link: string
  readonly heading: string
  readonly text: string
  /** Heading and text in lower case, for the comparison. */
  readonly searched: string
}

/** A section with all words of a search, and the text around its first word. */
export type SearchHit = Pick<Section, 'document' | 'link' | 'heading'> & {
  readonly excerpt: string
}

/** Maximum number of sections in an answer, of words that count, and of characters around the first word. */
const HITS_MAX = 30
const WORDS_MAX = 8
const EXCERPT_CHARS = 160

/** The sections of a document from its HTML, which has an id at each heading. */
export function documentSections(document: string, path: string, html: string): Section[] {
  const [, ...parts] = html.split(/<h(?=[1-6] id=")/)
  return parts.map((part) => {
    const end = part.indexOf('</h')
    const [attributes = '', title = ''] = part.slice(0, end).split(/">(.*)/s)
    const heading = plainText(title)
    const text = plainText(part.slice(end + '</h1>'.length))
    const link = `${path}#${attributes.slice('1 id="'.length)}`
    return { document, link, heading, text, searched: `${heading} ${text}`.toLowerCase() }
  })
}

/** Sections that contain every word of the query, in any case. Those with a word in their heading come first. */
export function searchSections(sections: readonly Section[], query: string): SearchHit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, WORDS_MAX)
  const [first] = words
  if (first === undefined) return []
  const found = sections.filter(({ searched }) => words.every((word) => searched.includes(word)))
  const isTitled = ({ heading }: Section) =>
    words.some((word) => heading.toLowerCase().includes(word))
  return [...found.filter(isTitled), ...found.filter((section) => !isTitled(section))]
    .slice(0, HITS_MAX)
    .map((section) => ({ ...section, excerpt: excerptAround(section.text, first) }))
}

function excerptAround(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - EXCERPT_CHARS / 4)
  const cut = text.slice(at, at + EXCERPT_CHARS).trim()
  return `${at > 0 ? '… ' : ''}${cut}${at + EXCERPT_CHARS < text.length ? ' …' : ''}`
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
}

function plainText(html: string): string {
  return html
    .split('<')
    .map((part, at) => (at === 0 ? part : part.slice(part.indexOf('>') + 1)))
    .join(' ')
    .replace(/&([a-z]+|#\d+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim()
}
