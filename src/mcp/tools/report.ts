import { publicTool } from '../agent-tool.ts'
import { limitRows } from '../limits.ts'
import type { Tool } from '../tool.ts'
import { args } from '../tool-arguments.ts'

const getLimits = publicTool({
  name: 'get_limits',
  title: 'Get limits',
  description:
    'Every limit the user set for you: maximum, used and left in USDC, when it renews (ms). Only the user can change them.',
  arguments: args({}),
  run: async (context) => {
    const limits = limitRows(context)
    return { limits, next: limits.length === 0 ? NONE : EXEMPT }
  },
})

const NONE = 'The user set no limit. Ask before every order all the same.'
const EXEMPT = 'Cancels, reduce-only orders and close_position count towards none.'

/** Tools about the caller's limits and account as a whole. */
export const REPORT_TOOLS: readonly Tool[] = [getLimits]
