import { openAgentFile } from '../../src/store/agent-file.ts'
import {
  type AnswerSpec,
  type Recorded,
  type RecordingUpstream,
  startRecordingUpstream,
} from '../recording-upstream.ts'
import wire from '../vectors/tools-wire.json'
import { openRecordedWorld, type ToolWorld } from './tool-world.ts'

/** Tools of one account, in front of a venue that answers as the wire was recorded. */
export type WireWorld = {
  readonly venue: RecordingUpstream
  readonly world: ToolWorld
  /** Answers in place of those of the wire, by method and path without query. */
  readonly instead: Map<string, AnswerSpec>
  /** Answers one after the other, in place of those of the wire. */
  readonly pages: Map<string, AnswerSpec[]>
  /** Every write that reached the venue while a tool ran, and the tool's answer. */
  readonly writtenBy: (name: string, args: object) => Promise<[unknown, readonly Recorded[]]>
  readonly stop: () => Promise<void>
}

const ID_BYTES = { bytes: (length: number) => new Uint8Array(length).fill(0xab) }

/** The id of an order whose sender named none. */
export const MADE_ID = `agent-${'ab'.repeat(12)}`

/** A context in which every id that is made is the same, and none was used before. */
export const SAME_IDS = {
  random: ID_BYTES,
  get sentOrders() {
    return openAgentFile(':memory:').sentOrders
  },
}

export async function openWireWorld(): Promise<WireWorld> {
  const instead = new Map<string, AnswerSpec>()
  const pages = new Map<string, AnswerSpec[]>()
  const venue = await startRecordingUpstream(({ method, target }) => {
    const key = `${method} ${target.split('?')[0]}`
    const listed = Object.entries(wire).find(([route]) => route === key)?.[1]
    return (
      pages.get(key)?.shift() ??
      instead.get(key) ??
      (listed === undefined ? NOT_THERE : { json: listed })
    )
  })
  const world = await openRecordedWorld(venue.url)
  return {
    venue,
    world,
    instead,
    pages,
    writtenBy: async (name, args) => {
      const from = venue.requests.length
      const result = await world.call(name, args, SAME_IDS)
      return [result, venue.requests.slice(from).filter(({ method }) => method !== 'GET')]
    },
    stop: async () => {
      await world.stop()
      await venue.stop()
    },
  }
}

const NOT_THERE: AnswerSpec = {
  status: 404,
  json: { success: false, code: -1006, message: 'path not found' },
}
