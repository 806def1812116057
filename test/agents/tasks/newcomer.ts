import { isObject } from '../../../src/core/json.ts'
import type { Loose } from '../tool-world.ts'

/** A tool as `tools/list` shows it. */
type Shown = {
  readonly name: string
  readonly annotations?: { readonly title?: string | undefined } | undefined
  readonly description?: string | undefined
  readonly inputSchema: { readonly properties?: object | undefined; readonly required?: unknown }
}

/** The newcomer's means: the instructions, the list, and a way to call. */
type Given = {
  readonly instructions: string
  readonly tools: readonly Shown[]
  readonly call: (name: string, args: object) => Promise<Loose>
}

/** An agent that has read the instructions and the list of tools, and knows no tool by name. */
export type Newcomer = {
  readonly calls: string[]
  /** Does what a phrase asks for, with facts by the names a person or an answer gave them. */
  readonly act: (phrase: string, facts?: Loose) => Promise<Loose>
}

/**
 * Chooses the tool whose words fit a phrase best, gives it those facts that its arguments name, and does first what
 * the instructions demand: "Before any order call X", where the tool it chose is one that X's description leads to.
 */
export function newcomer({ instructions, tools, call }: Given): Newcomer {
  const calls: string[] = []
  const before = /Before any order call (\w+)/.exec(instructions)?.[1]
  const preview = tools.find(({ name }) => name === before)

  async function called(tool: Shown, facts: Loose): Promise<Loose> {
    calls.push(tool.name)
    return call(tool.name, argumentsOf(tool, facts))
  }
  return {
    calls,
    act: async (phrase, facts = {}) => {
      const tool = chosen(phrase, tools)
      const leads = preview?.description?.includes(`Call before ${tool.name}`)
      if (!preview || !leads) return called(tool, facts)
      const seen = await called(preview, facts)
      return called(tool, isObject(seen['suggested']) ? seen['suggested'] : facts)
    },
  }
}

/** The one tool that says most of a phrase; a word in the title counts three times. Throws where two do. */
function chosen(phrase: string, tools: readonly Shown[]): Shown {
  const words = wordsOf(phrase)
  const scored = tools.map((tool) => {
    const title = wordsOf(tool.annotations?.title ?? '')
    const text = wordsOf(tool.description ?? '')
    const score = words.reduce((sum, word) => {
      return sum + (title.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0)
    }, 0)
    // Of two titles that hold the same words, the shorter is closer to what was asked.
    return { tool, score: score - title.filter((word) => !words.includes(word)).length / 10 }
  })
  const [first, second] = scored.toSorted((a, b) => b.score - a.score)
  if (!first || first.score <= 0 || first.score === second?.score)
    throw new Error(`no one tool for “${phrase}”: ${first?.tool.name}, ${second?.tool.name}`)
  return first.tool
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z]{2,}/g) ?? []
}

function argumentsOf({ inputSchema }: Shown, facts: Loose): object {
  const names = Object.keys(inputSchema.properties ?? {})
  return Object.fromEntries(Object.entries(facts).filter(([name]) => names.includes(name)))
}
