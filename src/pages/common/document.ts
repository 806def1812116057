import { exactOrNone } from './exact-json.ts'

/** The answer to a path that came with the document, and when that was written; null where there is none. It is there once. */
export function firstOf(path: string) {
  const blocks = [...document.querySelectorAll<HTMLScriptElement>('script[data-path]')]
  const block = blocks.find(({ dataset }) => dataset['path'] === path)
  if (!block) return null
  block.remove()
  const data = exactOrNone(block.text)
  return data === undefined ? null : { data, atMs: Number(block.dataset['at']) }
}

/** What the server wrote into the document's head under a name; '' for nothing. */
export function metaOf(name: string): string {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''
}
