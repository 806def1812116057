import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { fill } from '../disks.ts'
import type { startStormStream } from './live.ts'
import { FILES_MAX, type StormInstance, type StormPlace } from './place.ts'
import type { Planned, StormFault } from './plan.ts'

/** What a fault needs, and how it ends. */
export type Struck = {
  readonly place: StormPlace
  readonly stream: ReturnType<typeof startStormStream>
  readonly instance: StormInstance
  readonly planned: Planned
}
type End = () => unknown

const HOUR_MS = 3_600_000
const STEPS_MS = [
  -24 * HOUR_MS,
  -400_000,
  -90_000,
  -20_000,
  -2000,
  2000,
  20_000,
  90_000,
  400_000,
  24 * HOUR_MS,
] as const

/** How each fault begins; it answers how to end it. */
export const STRIKES: Readonly<Record<StormFault, (struck: Struck) => End | Promise<End>>> = {
  'descriptors exhausted': ({ instance }) => holdConnections(instance.url, FILES_MAX + 100),
  'PostgreSQL cut off': ({ instance }) => cutOff(instance.postgresWay),
  'PostgreSQL silent': ({ instance }) => silenced(instance.postgresWay),
  'Valkey cut off': ({ instance }) => cutOff(instance.valkeyWay),
  'Valkey silent': ({ instance }) => silenced(instance.valkeyWay),
  'disk full': ({ instance }) => {
    const filler = join(instance.disk, 'filler')
    fill(filler)
    return () => rmSync(filler)
  },
  'disk out of inodes': ({ instance }) => useInodes(join(instance.disk, 'inodes')),
  'clock stepped': ({ instance, planned }) => {
    instance.stepClock(STEPS_MS[Math.floor(planned.random * STEPS_MS.length)] ?? 0)
    return () => instance.stepClock(0)
  },
  'PostgreSQL killed': async ({ place }) => {
    await place.server.kill()
    return place.server.start
  },
  'PostgreSQL frozen': ({ place }) => {
    place.server.freeze()
    return place.server.thaw
  },
  'Valkey killed': async ({ place }) => {
    await place.valkey.kill()
    return place.valkey.start
  },
  'Valkey frozen': ({ place }) => {
    place.valkey.freeze()
    return place.valkey.thaw
  },
  'venue refuses connections': ({ place }) => cutOff(place.venueWay),
  'venue silent': ({ place }) => silenced(place.venueWay),
  'live messages malformed': ({ stream }) => {
    stream.malform()
    return stream.behave
  },
  'live connections cut': ({ stream }) => {
    stream.cut()
    return () => undefined
  },
  'live venue down': ({ stream }) => {
    stream.setDown(true)
    return () => stream.setDown(false)
  },
}

function cutOff({ cut, heal }: StormPlace['venueWay']): End {
  cut()
  return heal
}

function silenced({ silence, speak }: StormPlace['venueWay']): End {
  silence()
  return speak
}

function useInodes(folder: string): End {
  try {
    mkdirSync(folder)
    for (let at = 0; ; at++) writeFileSync(join(folder, String(at)), '')
  } catch (error) {
    if (Object(error).code !== 'ENOSPC') throw error
  }
  return () => rmSync(folder, { recursive: true, force: true })
}

/** What a connection says before it says no more. */
const BEGINNINGS = [
  '',
  'GET /api/prep/con',
  'GET /api/prep/config HTTP/1.1\r\nHost: x\r\n',
  'POST /api/prep/relay HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a":',
] as const
const REOPEN_EVERY_MS = 100

/** Holds so many connections with half a request each; those that are closed are opened again. */
function holdConnections(url: string, count: number): End {
  const port = Number(new URL(url).port)
  const held = new Set<Socket>()
  let opened = 0
  function open(): void {
    const socket = connect(port, '127.0.0.1')
    const beginning = BEGINNINGS[opened % BEGINNINGS.length] ?? ''
    opened += 1
    held.add(socket)
    socket.on('connect', () => socket.write(beginning))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => held.delete(socket))
  }
  function refill(): void {
    while (held.size < count) open()
  }
  refill()
  const timer = setInterval(refill, REOPEN_EVERY_MS)
  return () => {
    clearInterval(timer)
    for (const socket of held) socket.destroy()
  }
}
