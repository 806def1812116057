import { exactOrNone } from './exact-json.ts'

/**
 * The answer to a path that the document embeds, and when it was written; null if the document has no answer to it.
 * Each answer can be taken once.
 */
export function takeEmbeddedAnswer(path: string) {
  const blocks = [...document.querySelectorAll<HTMLScriptElement>('script[data-path]')]
  const block = blocks.find(({ dataset }) => dataset['path'] === path)
  if (!block) return null
  block.remove()
  const data = exactOrNone(block.text)
  return data === undefined ? null : { data, atMs: Number(block.dataset['at']) }
}

/** The content of a meta element that the server wrote into the document's head; '' if the element is missing. */
export function metaContent(name: string): string {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''
}
