import { DAY_MS } from '../../spec/durations.ts'
import { publicTool } from '../agent-tool.ts'
import type { Tool } from '../tool.ts'
import { args } from '../tool-arguments.ts'

const getTime = publicTool({
  name: 'get_time',
  title: 'Get time',
  description: 'The time now, in ms and UTC, and when the UTC day began: for start_t and end_t.',
  arguments: args({}),
  run: async ({ clock }) => {
    const now = clock.nowMs()
    const utc = new Date(now).toISOString()
    return { now, utc, day_began: Math.floor(now / DAY_MS) * DAY_MS }
  },
})

/** Tools about time. */
export const TIME_TOOLS: readonly Tool[] = [getTime]
