/** The smallest server on the official SDK: one tool, over stdio. What prepd's start is compared with. */
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const server = new McpServer({ name: 'smallest', version: '1' })
server.registerTool(
  'echo',
  {
    description: 'Says what it is told.',
    inputSchema: fromJsonSchema({ type: 'object', properties: { text: { type: 'string' } } }),
  },
  ({ text }) => ({ content: [{ type: 'text', text: String(text) }] }),
)
await server.connect(new StdioServerTransport())
