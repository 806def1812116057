import type { ListedTool, Tool } from '../tool.ts'

// build/compile.ts replaces this name by the text of `listText`.
declare const PREPD_TOOLS: string | undefined

/** What agents read of every tool: out of the build, so that listing them loads none; from source, the tools themselves. */
export async function listedTools(): Promise<readonly ListedTool[]> {
  return typeof PREPD_TOOLS === 'string' ? JSON.parse(PREPD_TOOLS) : await loadTools()
}

/** The tools themselves. */
export async function loadTools(): Promise<readonly Tool[]> {
  const { TOOLS } = await import('../tools/tools.ts')
  return TOOLS
}

/** What is read of tools, as JSON. */
export function listText(tools: readonly Tool[]): string {
  return JSON.stringify(
    tools.map(({ name, title, description, arguments: schema, annotations }) => ({
      name,
      title,
      description,
      arguments: schema,
      annotations,
    })),
  )
}
