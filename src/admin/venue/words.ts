import { ClientFailure, createClient } from '../../client/client.ts'
import { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/json.ts'
import { localUrl } from '../../settings/listen-address.ts'
import { VENUE_WORDS, type WordName, type WordRow, wordPath } from '../../spec/venue/words.ts'
import { readWord } from '../../venue/words/read.ts'
import { bearing } from '../affiliate.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from '../command.ts'
import { linesOf } from '../operator/lines.ts'

const LIVE_LINE = 'PREPD_VENUE is a live venue: only an embedded one is told words'
const KEY_LINE = 'PREPD_OPERATOR_KEY must be set to the key of the running server'

/**
 * Tells the embedded venue of a running server a word, with its operator key, and prints what it says. Answers the exit
 * code: 0, 1 when the server refused or found something broken, 64 when a setting or flag is missing or malformed.
 */
export async function venueWord(
  name: WordName,
  { print, tell, settings, world }: CommandDeps,
  args: CommandArguments,
): Promise<number> {
  if (settings.venue.at !== 'embedded') return printMisuse(print, LIVE_LINE)
  const texts = textsOf(name, args)
  const misuse = misuseOf(name, texts)
  if (misuse !== null) return printMisuse(print, misuse)
  const [operatorKey] = settings.operatorKeys
  if (operatorKey === undefined) return printMisuse(print, KEY_LINE)
  const transport = bearing(world.transport, operatorKey)
  const baseUrl = args.get('--url') ?? localUrl(settings.listen)
  const client = createClient({ baseUrl, transport, nowMs: world.clock.nowMs })
  try {
    const said = await client.post(wordPath(name), texts)
    tell(isObject(said) ? said : {}, linesOf(said))
    return isBroken(said) ? 1 : 0
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    print(`${error.code}: ${error.message}${detailOf(error.meta)}`)
    return 1
  }
}

function textsOf(name: WordName, args: CommandArguments): Readonly<Record<string, string>> {
  const { parameters }: WordRow = VENUE_WORDS[name]
  return Object.fromEntries(
    Object.keys(parameters).flatMap((parameter) => {
      const text = args.get(`--${parameter}`)
      return text === undefined ? [] : [[parameter, text]]
    }),
  )
}

/** What is wrong with the flags; null when nothing is. */
function misuseOf(name: WordName, texts: Readonly<Record<string, string>>): string | null {
  try {
    readWord(name, texts)
    return null
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { parameter, expected } = error.meta ?? {}
    return `--${parameter} must be ${expected}`
  }
}

function detailOf(meta: Readonly<Record<string, unknown>>): string {
  const said = Object.entries(meta).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return said.length === 0 ? '' : ` (${said.join(', ')})`
}

/** Whether the books were looked through and are not sound. */
function isBroken(said: unknown): boolean {
  const broken = isObject(said) ? said['broken'] : []
  return Array.isArray(broken) && broken.length > 0
}
