import type { Tool } from '../src/mcp/tool.ts'

/** What agents read of tools, as JSON: src/mcp/protocol/listed.ts lists it. */
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
