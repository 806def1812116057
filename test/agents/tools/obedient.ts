import { ToolFailure } from '../../../src/agents/tool.ts'
import { TOOLS } from '../../../src/agents/tools/tools.ts'
import { type Loose, toolNamed } from '../tool-world.ts'

/** A call of a tool. */
export type Call = { readonly tool: string; readonly args: Loose }

/** Runs a call. Rejects with its refusal. */
type Run = (call: Call) => Promise<unknown>

const TRIES_MAX = 5

/** The calls that a model makes which does, word for word, what each refusal says; the last is the one that went through. */
export async function obeyed(first: Call, run: Run): Promise<{ sent: Call | null; tried: Call[] }> {
  const tried: Call[] = []
  const open = [first]
  for (let call = open.shift(); call && tried.length < TRIES_MAX; call = open.shift()) {
    tried.push(call)
    try {
      await run(call)
      return { sent: call, tried }
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      open.push(...nextCalls(call, error.meta))
    }
  }
  return { sent: null, tried }
}

function nextCalls({ tool, args }: Call, meta: Loose): readonly Call[] {
  const { parameter, suggestion, rename_to, problems = [], edits, next = '' } = meta
  const { [parameter]: given, ...others } = args
  const suggested = meta.suggested ?? meta.if_usdc_was_meant
  if (suggested) return [{ tool, args: suggested }]
  if (edits) return edits.map((edit: Loose) => ({ tool: edit.tool, args: edit.arguments }))
  if (rename_to) return [{ tool, args: { ...others, [rename_to]: given } }]
  if (suggestion !== undefined) return [{ tool, args: { ...others, [parameter]: suggestion } }]
  const better = problems.filter((problem: Loose) => problem.suggestion !== undefined)
  if (better.length > 0) {
    const values = better.map((problem: Loose) => [problem.parameter, problem.suggestion])
    return [{ tool, args: { ...args, ...Object.fromEntries(values) } }]
  }
  const left = LEFT_OUT.exec(next)?.[1]
  if (left) return [{ tool, args: left === 'it' ? others : without(args, left) }]
  return TOOLS.filter(({ name }) => name !== tool && new RegExp(`\\b${name}\\b`).test(next))
    .filter(({ annotations }) => !annotations.readOnlyHint)
    .map(({ name }) => ({ tool: name, args: takenBy(name, args) }))
}

const LEFT_OUT = /\b(?:leave|omit|drop|remove)\s+(it|\w+)(?:\s+out)?/i

function without(args: Loose, name: string): Loose {
  const { [name]: _, ...others } = args
  return others
}

/** Those of the arguments that another tool has too. */
function takenBy(tool: string, args: Loose): Loose {
  const { properties } = toolNamed(tool).arguments
  return Object.fromEntries(
    Object.entries(args).filter(([name]) => Object.hasOwn(properties, name)),
  )
}
