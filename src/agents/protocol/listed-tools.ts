import type { Credentials } from '../client/client.ts'
import type { McpExchange } from './protocol.ts'

/** The tools that an agent is offered: without credentials, or in read-only mode, only the tools that read. */
export function listedTools(
  tools: McpExchange['tools'],
  { readOnly }: { readonly readOnly?: boolean | undefined },
  credentials: Credentials | null,
): McpExchange['tools'] {
  return readOnly || credentials === null
    ? tools.filter((tool) => tool.annotations.readOnlyHint)
    : tools
}
