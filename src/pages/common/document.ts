import { exactOrNone } from './exact-json.ts'

/**
 * Takes the answer that the document embeds for a path, with the time at which the answer was written. Null without
 * such an answer, and after it was taken.
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
