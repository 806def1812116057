import { ToolFailure } from '../../../src/agents/tool.ts'
import type { Loose, ToolWorld } from '../tool-world.ts'
import type { Play } from './task.ts'

/** The calls and refusals of a player. */
export type Log = { readonly calls: string[]; readonly refusals: string[] }

const TRIES_MAX = 6

/** Sends the right arguments at once. */
export function carefulPlayer(world: ToolWorld, record: Log): Play {
  return (tool, args) => called(world, record, tool, args)
}

/** Sends wrong arguments first, and then does what `meta` says, and nothing else. */
export function clumsyPlayer(world: ToolWorld, record: Log): Play {
  return async (tool, args, slip) => {
    let sent: Loose = slip ?? args
    for (let tries = 0; ; tries += 1) {
      try {
        return await called(world, record, tool, sent)
      } catch (error) {
        if (!(error instanceof ToolFailure) || tries === TRIES_MAX) throw error
        const next = corrected(sent, error.meta)
        if (next === null) throw error
        sent = next
      }
    }
  }
}

async function called(world: ToolWorld, { calls, refusals }: Log, tool: string, args: object) {
  calls.push(tool)
  try {
    return await world.call(tool, args)
  } catch (error) {
    if (error instanceof ToolFailure) refusals.push(error.code)
    throw error
  }
}

/** The arguments as `meta` wants them; null when it does not say. */
function corrected(sent: Loose, meta: Loose): Loose | null {
  const { parameter, suggested, if_usdc_was_meant, suggestion, rename_to, maximum } = meta
  const whole = suggested ?? if_usdc_was_meant
  if (whole) return whole
  const { [parameter]: given, ...others } = sent
  if (rename_to) return { ...others, [rename_to]: given }
  if (suggestion !== undefined) return { ...others, [parameter]: suggestion }
  if (maximum !== undefined && given > maximum) return { ...others, [parameter]: maximum }
  return null
}
