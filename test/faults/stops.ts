import { join } from 'node:path'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { doubled, startRememberingVenue } from './remembering-venue.ts'
import { UNLIMITED } from './unlimited.ts'

const CLIENTS = 24
const VENUE_DELAY_MAX_MS = 150
const ROUNDS_BEFORE_STOP = 3

/** What became of the writes of clients whose server was asked to stop. */
export type StopFigures = {
  readonly code: number | null
  readonly stderr: string
  readonly answered: number
  /** Writes that the venue received and no caller got an answer for. */
  readonly untold: readonly string[]
  readonly doubled: readonly string[]
}

/** Asks prepd to stop while clients send it writes, and lets them go on until they are refused. */
export async function stopUnderLoad(random: () => number): Promise<StopFigures> {
  using folder = temporaryFolder()
  const venue = await startRememberingVenue(() => Math.floor(random() * VENUE_DELAY_MAX_MS))
  const settings = { VENUE: venue.url, DATA_DIR: join(folder.path, 'data'), ...UNLIMITED }
  const prepd = spawnPrepd({ settings })
  const url = await prepd.url()
  const caller = newCaller()
  const answered = new Set<string>()
  let count = 0

  async function client(): Promise<void> {
    for (;;) {
      count += 1
      const id = `w${count}`
      const body = JSON.stringify({ client_order_id: id })
      const signed = envelope(caller, { method: 'POST', path: '/v1/order', body })
      const response = await fetch(`${url}/api/prep/relay`, jsonPost(signed)).catch(() => null)
      if (response?.status !== 200) return
      await response.text()
      answered.add(id)
    }
  }

  const clients = Array.from({ length: CLIENTS }, client)
  while (answered.size < ROUNDS_BEFORE_STOP * CLIENTS) await Bun.sleep(5)
  prepd.kill('SIGTERM')
  await Promise.all(clients)
  const { code, stderr } = await prepd.ended()
  await venue.stop()
  return {
    code,
    stderr,
    answered: answered.size,
    untold: [...venue.orders.keys()].filter((id) => !answered.has(id)),
    doubled: doubled(venue.orders),
  }
}
