import { type Exact, exactOrNone } from './exact-json.ts'

/** What was known when the document was written, and when that was. */
export type First = { readonly data: Exact; readonly atMs: number }

/** The answer to a path that came with the document; null where there is none. It is there once. */
export function firstOf(path: string): First | null {
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
