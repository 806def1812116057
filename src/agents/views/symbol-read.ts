import type { ToolContext } from '../tool.ts'
import { isSymbol, namedSymbol } from './market.ts'

/** Reads public data of one market. A well-formed symbol is tried directly, and looked up if that market does not exist. */
export async function atSymbol(
  context: ToolContext,
  word: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { client } = context
  if (!isSymbol(word)) {
    return client.get(path, { symbol: await namedSymbol(context, word), ...query })
  }
  try {
    return await client.get(path, { symbol: word, ...query })
  } catch (error) {
    if (isNotFound(error)) await namedSymbol(context, word)
    throw error
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'not_found'
}
