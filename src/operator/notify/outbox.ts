import { Value } from '@sinclair/typebox/value'
import { type Message, NOTIFY_LIMITS, WaitingMessage } from '../../contract/operator/notify.ts'
import { Failure } from '../../core/failure.ts'
import { toHex } from '../../core/hex.ts'
import { parsedJson } from '../../core/json.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { EntityChange, EntityStore, Log } from '../../core/ports.ts'
import { settingText } from '../../core/settings/files.ts'
import type { CommandEnvironment } from '../command/command.ts'
import { type NotifyConfig, quietEndMs, readNotifyConfig, type Target } from './config.ts'
import { mailFault } from './mail.ts'
import { deliveryRequest, isUrgent } from './message.ts'

const KIND = 'message'

/** Messages that are kept until they are delivered or given up. */
export type Outbox = {
  /**
   * Queues a message for every target and stores it with further changes. The message is sent even if the store fails.
   */
  readonly add: (message: Message, nowMs: number, changes: readonly EntityChange[]) => void
  /** Stores changes that belong to no message. */
  readonly keep: (changes: readonly EntityChange[]) => void
  /** Sends one due message to each target. */
  readonly deliver: (nowMs: number) => Promise<void>
}

type OutboxOptions = NotifyConfig & {
  readonly store: EntityStore
  readonly log: Log
  readonly send: (request: Request) => Promise<Response>
  /** How far the venue's clock is ahead of this machine's; 0 if unknown. */
  readonly skewMs: () => number
}

export function createOutbox(parts: OutboxOptions): Outbox {
  const { targets, quiet } = parts
  const waiting = createWaiting(parts)
  const busy = new Set<string>()

  async function deliverTo(target: Target, nowMs: number): Promise<void> {
    const due = waiting.due(target, nowMs)
    if (!due || busy.has(target.name)) return
    busy.add(target.name)
    try {
      // Receivers refuse timestamps far from their own clock, so every second attempt uses the venue's clock.
      const signedAtMs = nowMs + (due.row.attempts % 2) * parts.skewMs()
      const fault = await sendMessage(parts.send, target, due.row.message, signedAtMs)
      if (fault === null) waiting.delivered(due)
      else waiting.failed(due, fault, nowMs)
    } finally {
      busy.delete(target.name)
    }
  }

  return {
    add: (message, nowMs, changes) => {
      const dueMs = isUrgent(message) ? nowMs : quietEndMs(quiet, nowMs)
      const rows = targets.map(({ name }) => ({ target: name, message, attempts: 0, dueMs }))
      waiting.put(rows, changes)
    },
    keep: waiting.commit,
    deliver: async (nowMs) => {
      await Promise.all(targets.map((target) => deliverTo(target, nowMs)))
    },
  }
}

type Entry = { readonly key: string; readonly row: WaitingMessage }

/** Pending messages, oldest first, in memory and in the store. */
function createWaiting({ store, targets, log }: Pick<OutboxOptions, 'store' | 'targets' | 'log'>) {
  const waiting = new Map(stored(store, targets).map(({ key, row }) => [key, row]))

  function commit(changes: readonly EntityChange[]): void {
    try {
      store.commit(changes)
    } catch (error) {
      reportUnexpected('process', error, Failure)
      log.warn('notices_not_kept', { code: 'store_unavailable' })
    }
  }

  function put(rows: readonly WaitingMessage[], changes: readonly EntityChange[]): void {
    const entries = rows.map((row) => [`${row.message.id} ${row.target}`, row] as const)
    for (const [key, row] of entries) waiting.set(key, row)
    commit([...entries.map(([key, row]) => waitingChange(key, row)), ...changes])
    for (const target of targets)
      for (const entry of targetEntries(target).slice(0, -NOTIFY_LIMITS.waitingMax))
        giveUp(entry, 'too_many')
  }

  function targetEntries({ name }: Target): Entry[] {
    return [...waiting].flatMap(([key, row]) => (row.target === name ? [{ key, row }] : []))
  }

  function drop(key: string): void {
    waiting.delete(key)
    commit([waitingChange(key, null)])
  }

  function giveUp({ key, row }: Entry, reason: string): void {
    drop(key)
    log.error('notice_given_up', { target: row.target, reason, attempts: row.attempts })
  }

  function failed(entry: Entry, fault: string, nowMs: number): void {
    const { key, row } = entry
    const attempts = row.attempts + 1
    const { id, atMs } = row.message
    log.warn('notice_not_delivered', { target: row.target, id, fault, attempts })
    if (nowMs - atMs >= NOTIFY_LIMITS.keptMs) giveUp(entry, 'too_old')
    else {
      const next = { ...row, attempts, dueMs: nowMs + retryAfterMs(row.attempts) }
      waiting.set(key, next)
      commit([waitingChange(key, next)])
    }
  }

  return {
    put,
    failed,
    commit,
    delivered: ({ key, row }: Entry) => {
      drop(key)
      log.info('notice_delivered', { target: row.target, id: row.message.id })
    },
    due: (target: Target, nowMs: number) =>
      targetEntries(target).find(({ row }) => row.dueMs <= nowMs || isOfLater(row, nowMs)) ?? null,
  }
}

/** Whether a row was queued at a later time than now, because the clock was set back. */
function isOfLater({ message, dueMs }: WaitingMessage, nowMs: number): boolean {
  return nowMs < message.atMs && dueMs >= message.atMs
}

/** The messages that earlier runs stored for these targets. */
function stored(store: EntityStore, targets: readonly Target[]): Entry[] {
  return [...store.load(KIND)].flatMap(({ key, json }) => {
    const row = parseStoredRow(json)
    return row && targets.some(({ name }) => name === row.target) ? [{ key, row }] : []
  })
}

function retryAfterMs(attempts: number): number {
  const waits = NOTIFY_LIMITS.retryAfterMs
  return waits[attempts] ?? waits.at(-1) ?? 0
}

function waitingChange(key: string, row: WaitingMessage | null): EntityChange {
  return { kind: KIND, key, json: row && JSON.stringify(row) }
}

/** A stored message; null if an incompatible version wrote it. */
function parseStoredRow(json: string): WaitingMessage | null {
  const row = Value.Default(WaitingMessage, parsedJson(json))
  return Value.Check(WaitingMessage, row) ? row : null
}

/** Sends a message to a target. Returns null if it was accepted, otherwise the fault: a status or the kind of error. */
export async function sendMessage(
  send: OutboxOptions['send'],
  target: Target,
  message: Message,
  nowMs: number,
): Promise<string | null> {
  if (target.kind === 'mail') return mailFault(target, message)
  try {
    const signal = AbortSignal.timeout(NOTIFY_LIMITS.deadlineMs)
    const response = await send(new Request(deliveryRequest(target, message, nowMs), { signal }))
    await response.body?.cancel()
    return response.ok ? null : `http_${response.status}`
  } catch (error) {
    reportUnexpected('process', error, Error)
    return error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'unreachable'
  }
}

const TITLE = 'This is a test. Notices of this prepd arrive here.'

/**
 * Sends one notice to every target at once. Returns the exit code: 0; 1 if a target failed; 64 without a valid file.
 */
export async function notifyTest({
  files,
  report,
  settings,
  world,
}: CommandEnvironment): Promise<0 | 1> {
  const { targets } = readNotifyConfig(settingText(files, 'PREPD_NOTIFY', settings.notify))
  const nowMs = world.clock.nowMs()
  const message: Message = {
    id: `test-${toHex(world.random.bytes(8))}`,
    atMs: nowMs,
    service: settings.serviceName,
    ...{ instance: 'prepd --mode admin notify test', host: '' },
    notices: [
      {
        ...{ name: 'test', state: 'happened', level: 'warn', title: TITLE, sinceMs: nowMs },
        ...{ figure: '', action: '', command: '' },
      },
    ],
  }
  const results = await Promise.all(
    targets.map(async (target) => ({
      target: target.name,
      fault: await sendMessage(world.transport, target, message, nowMs),
    })),
  )
  const lines = results.map(({ target, fault }) => `${target}: ${fault ?? 'delivered'}`)
  report({ results }, lines)
  return results.every(({ fault }) => fault === null) ? 0 : 1
}
