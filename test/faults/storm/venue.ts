import { gzipSync } from 'node:zlib'
import {
  type AnswerSpec,
  headerOf,
  type Recorded,
  startRecordingUpstream,
} from '../../recording-upstream.ts'
import { recordedAnswer } from '../../surface/recorded-venue.ts'
import type { Taken } from './judge.ts'

/** What the venue does with one call: `good` is the body of its proper answer. */
type Behaviour = {
  readonly name: string
  /** How many of a hundred calls get it. */
  readonly share: number
  readonly answer: (
    good: Exclude<AnswerSpec, string | { raw: unknown }>,
    random: () => number,
  ) => AnswerSpec
}

const KILO = 'x'.repeat(1024)
const OK_BODY = '{"success":true,"timestamp":1,"data":{}}'
const CHUNKED =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
const BOMB_CHUNKS = 200_000

// biome-ignore format: one behaviour a row
const BEHAVIOURS: readonly Behaviour[] = [
  { name: 'in time', share: 66, answer: (good, random) => ({ ...good, delayMs: Math.floor(random() * 30) }) },
  { name: 'slowly', share: 10, answer: (good, random) => ({ ...good, delayMs: 100 + Math.floor(random() * 3000) }) },
  { name: 'never', share: 2, answer: () => 'hang' },
  { name: 'by closing', share: 4, answer: () => 'close' },
  { name: 'half, then closes', share: 3, answer: (good) => ({ ...good, truncated: 'close' }) },
  { name: 'half, then stalls', share: 1, answer: (good) => ({ ...good, truncated: 'stall' }) },
  { name: 'half in chunks', share: 1, answer: (good) => ({ ...good, chunked: true, truncated: 'close' }) },
  { name: '502 in HTML', share: 3, answer: () => ({ status: 502, body: `<html>${KILO}</html>`, contentType: 'text/html' }) },
  { name: '503 in JSON', share: 2, answer: () => ({ status: 503, json: { success: false, code: -1000, message: 'unknown error' } }) },
  { name: '429', share: 2, answer: () => ({ status: 429, json: { success: false, code: -1003, message: 'too many requests' } }) },
  { name: 'garbage', share: 2, answer: (_, random) => ({ body: Uint8Array.from({ length: 300 }, () => random() * 256) }) },
  { name: 'no HTTP', share: 1, answer: () => ({ raw: `SSH-2.0-${KILO}\r\n` }) },
  { name: 'gzip that is none', share: 1, answer: () => ({ body: KILO, headers: { 'Content-Encoding': 'gzip' } }) },
  { name: 'gzip bomb', share: 1, answer: () => ({ body: GZIP_BOMB, headers: { 'Content-Encoding': 'gzip' } }) },
  { name: 'chunk bomb', share: 0.5, answer: () => ({ raw: `${CHUNKED}${'1\r\n \r\n'.repeat(BOMB_CHUNKS)}` }) },
  { name: 'twice', share: 0.5, answer: () => ({ raw: twice(), open: true }) },
]

const GZIP_BOMB = gzipSync(Buffer.alloc(20 * 1024 * 1024, ' '))
const TOTAL = BEHAVIOURS.reduce((sum, { share }) => sum + share, 0)

/** A venue that remembers every write it received, and answers as it likes. */
export async function startStormVenue(random: () => number, nowMs: () => number) {
  const taken = new Map<string, Taken[]>()
  const behaved = new Map<string, number>()
  let isCalm = false
  const venue = await startRecordingUpstream((request) => {
    const { name, answer } = drawn(isCalm ? 0 : random())
    behaved.set(name, (behaved.get(name) ?? 0) + 1)
    const signature = signatureOfWrite(request)
    // A write that is refused with 429 has not happened, and may come again.
    if (signature !== undefined && name !== '429') {
      taken.set(signature, [...(taken.get(signature) ?? []), { atMs: nowMs(), answered: name }])
    }
    const isSigned = headerOf(request, 'orderly-signature') !== undefined
    const good = isSigned ? {} : recordedAnswer(request)
    return answer(isPlain(good) ? good : {}, random)
  })
  return {
    url: venue.url,
    /** When each write arrived that may have happened, by signature. */
    taken,
    /** How often it answered how. */
    behaved,
    /** From now on it answers everything in time. */
    calm: () => {
      isCalm = true
    },
    stop: venue.stop,
  }
}

function signatureOfWrite(request: Recorded): string | undefined {
  const isWrite = request.method === 'POST' || request.method === 'PUT'
  return isWrite ? headerOf(request, 'orderly-signature') : undefined
}

function drawn(at: number): Behaviour {
  let left = at * TOTAL
  const found = BEHAVIOURS.find(({ share }) => {
    left -= share
    return left < 0
  })
  if (!found) throw new Error('shares do not add up')
  return found
}

function isPlain(spec: AnswerSpec): spec is Exclude<AnswerSpec, string | { raw: unknown }> {
  return typeof spec === 'object' && !('raw' in spec)
}

function twice(): string {
  const answer = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${OK_BODY.length}\r\n\r\n${OK_BODY}`
  return answer + answer
}
