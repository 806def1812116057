/** A section of a document, as text without markup. */
type Section = {
  readonly document: string
  /** The path of the page, with the id of the heading. */
  readonly link: string
  readonly heading: string
  readonly text: string
  /** Heading and text in lower case, which searches compare. */
  readonly searched: string
}

/** A section with at least one word of a search, and the text around the longest such word. */
export type SearchHit = Pick<Section, 'document' | 'link' | 'heading'> & {
  readonly excerpt: string
  /** Whether the section contains every word. */
  readonly isComplete: boolean
}

/** Maximum number of sections in an answer. */
const HITS_MAX = 30
/** Maximum number of words in a search. */
const WORDS_MAX = 8
/** Length of the text around the longest word. */
const EXCERPT_CHARS = 160

/** The sections of a document, from HTML that has an id at each heading. */
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

/**
 * Sections that contain a word of the query, in any case. Sections that contain more words come first; among these,
 * sections with more words in the heading.
 */
export function searchSections(sections: readonly Section[], query: string): SearchHit[] {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, WORDS_MAX)
  return sections
    .map((section) => ({ section, ...matches(section, words) }))
    .filter(({ found }) => found.length > 0)
    .toSorted((a, b) => b.found.length - a.found.length || b.inHeading - a.inHeading)
    .slice(0, HITS_MAX)
    .map(({ section, found }) => ({
      ...section,
      excerpt: excerptAround(section.text, found),
      isComplete: found.length === words.length,
    }))
}

/** The words of a search that a section contains, and how often the heading has one of these words. */
function matches({ searched, heading }: Section, words: readonly string[]) {
  const found = words.filter((word) => searched.includes(word))
  const title = heading.toLowerCase()
  return { found, inHeading: found.filter((word) => title.includes(word)).length }
}

/**
 * The part of the text around the longest word of the search that the text contains. Without such a word, the beginning
 * of the text.
 */
function excerptAround(text: string, words: readonly string[]): string {
  const searched = text.toLowerCase()
  const [word = ''] = words
    .filter((each) => searched.includes(each))
    .toSorted((a, b) => b.length - a.length)
  const at = Math.max(0, searched.indexOf(word) - EXCERPT_CHARS / 4)
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
