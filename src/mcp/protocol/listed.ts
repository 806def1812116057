import type { ListedTool, Tool } from '../tool.ts'

// build/compile.ts replaces this name by what build/tool-list.ts answers.
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
