import { ClientFailure, createClient } from '../client/client.ts'
import { NOTICE_PATHS, type NoticeWord } from '../spec/venue/notices.ts'
import { bearing, KEY_LINE, type VenueCommandDeps } from './affiliate.ts'
import { type CommandArguments, printMisuse } from './command.ts'

/** What each command sends; a text says which flag is missing. */
const BODIES: Readonly<Record<NoticeWord, (args: CommandArguments) => object | string>> = {
  announce: (args) => {
    const [message, url] = [args.get('--message'), args.get('--link')]
    return message === undefined ? '--message must be given' : { message, ...(url && { url }) }
  },
  retract: (args) => {
    const number = args.get('--announcement')
    return number === undefined
      ? '--announcement must be given'
      : { announcementId: Number(number) }
  },
  maintenance: (args) => {
    if (args.has('--over')) return { state: 'off' }
    const [message, start, end] = ['--message', '--start', '--end'].map((flag) => args.get(flag))
    return {
      state: 'on',
      ...(message && { message }),
      ...(start && { startMs: Number(start) }),
      ...(end && { endMs: Number(end) }),
    }
  },
}

const LIVE_LINE = 'PREPD_VENUE is a live venue: it tells everybody itself'

/**
 * Lets the embedded venue of a running server tell everybody something, with its operator key. Answers the exit code:
 * 0, 1 when the server refused, 64 when a setting or flag is missing.
 */
export async function venueNotice(
  word: NoticeWord,
  { print, settings, world, baseUrl }: VenueCommandDeps,
  args: CommandArguments,
): Promise<number> {
  if (settings.venue.at !== 'embedded') return printMisuse(print, LIVE_LINE)
  const body = BODIES[word](args)
  if (typeof body === 'string') return printMisuse(print, body)
  const [operatorKey] = settings.operatorKeys
  if (operatorKey === undefined) return printMisuse(print, KEY_LINE)
  const transport = bearing(world.transport, operatorKey)
  const client = createClient({ baseUrl, transport, nowMs: world.clock.nowMs })
  try {
    print(JSON.stringify(await client.post(NOTICE_PATHS[word], body)))
    return 0
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    print(`${error.code}: ${error.message}`)
    return 1
  }
}
