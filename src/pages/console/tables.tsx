import type { ConsoleFigures, OperationFigures } from '../../contract/console/figures.ts'
import { ageText, clockTime, dayTime, filledTemplate } from '../common/format.ts'
import { Pairs } from '../common/pairs.tsx'
import { type Column, Table } from '../common/table.tsx'
import { bytes, countText, milliseconds } from './figures-text.ts'
import { CONSOLE_TEXTS } from './messages.ts'
import { ConsolePanel, TablePanel } from './parts.tsx'

type Props = { readonly found: ConsoleFigures }

const [name, requests, lastHour, failed, p50, p95, p99, hits, stale, misses] =
  CONSOLE_TEXTS.operations.head

const OPERATION_COLUMNS: readonly Column<OperationFigures>[] = [
  [name, (row) => row.name],
  [requests, (row) => countText(row.total), (row) => ({ 'data-total': row.total })],
  [lastHour, (row) => countText(row.count)],
  [failed, (row) => countText(row.failed), (row) => ({ class: row.failed > 0 ? 'down' : 'quiet' })],
  [p50, (row) => milliseconds(row.p50Ms)],
  [p95, (row) => milliseconds(row.p95Ms)],
  [p99, (row) => milliseconds(row.p99Ms)],
  [hits, (row) => countText(row.hits)],
  [stale, (row) => countText(row.stale)],
  [misses, (row) => countText(row.misses)],
]

/** Requests, latency percentiles and cache results by operation. */
export function Operations({ found: { operations } }: Props) {
  return (
    <TablePanel
      title={CONSOLE_TEXTS.operations.title}
      why={CONSOLE_TEXTS.operations.why}
      none={CONSOLE_TEXTS.operations.none}
      id="operations"
      columns={OPERATION_COLUMNS}
      rows={operations.toSorted((a, b) => b.total - a.total)}
      keyOf={(row) => row.name}
      attributesOf={(row) => ({ 'data-operation': row.name })}
    />
  )
}

const [time, tool, outcome] = CONSOLE_TEXTS.agentWrites.head

const AGENT_WRITE_COLUMNS: readonly Column<ConsoleFigures['agentWrites'][number]>[] = [
  [time, ({ atMs }) => clockTime(atMs), () => ({ class: 'quiet' })],
  [tool, (row) => row.tool],
  [outcome, (row) => row.outcome, (row) => ({ class: row.outcome === 'ok' ? '' : 'down' })],
]

/** The newest writes of agents; hidden while there are no writes. */
export function AgentWrites({ found: { agentWrites } }: Props) {
  return (
    <TablePanel
      title={CONSOLE_TEXTS.agentWrites.title}
      isLong
      columns={AGENT_WRITE_COLUMNS}
      rows={agentWrites}
      keyOf={({ sequence }) => sequence}
      attributesOf={({ sequence }) => ({ 'data-sequence': sequence })}
    />
  )
}

function backupAge(atMs: number | null, nowMs: number): string {
  const { state } = CONSOLE_TEXTS
  if (atMs === null) return state.absent
  return atMs === 0
    ? state.never
    : filledTemplate(state.ago, { age: ageText(nowMs - atMs), at: dayTime(atMs) })
}

function certificate(endMs: number | null, nowMs: number): string {
  const { state } = CONSOLE_TEXTS
  if (endMs === null) return state.plain
  const isOver = endMs <= nowMs
  return isOver
    ? state.ended
    : filledTemplate(state.ends, { age: ageText(endMs - nowMs), at: dayTime(endMs) })
}

/** The resources of the process, and the parts of this deployment. */
export function StatePanel({ found: { atMs, memory, store, streams, swap, machine } }: Props) {
  const { state } = CONSOLE_TEXTS
  return (
    <ConsolePanel title={state.title} id="state">
      <Pairs
        rows={[
          [state.resident, bytes(memory.residentBytes)],
          [state.heap, bytes(memory.heapBytes)],
          [state.store, store.fileBytes === null ? state.shared : bytes(store.fileBytes)],
          [state.log, store.logBytes === null ? state.shared : bytes(store.logBytes)],
          [state.sync, milliseconds(store.syncMs)],
          [state.free, machine.freeBytes === null ? state.absent : bytes(machine.freeBytes)],
          [state.backup, backupAge(store.backupAtMs, atMs)],
          [state.certificate, certificate(machine.certificateEndMs, atMs)],
          [state.clock, milliseconds(machine.clockSkewMs)],
          [state.instance, String(machine.processId)],
          [state.windows, countText(store.windows)],
          [
            state.streams,
            streams
              ? `${countText(streams.open)} / ${countText(streams.subscribers)}`
              : state.absent,
          ],
          [state.swap, swap],
        ]}
      />
    </ConsolePanel>
  )
}

type Cap = NonNullable<ConsoleFigures['vouchers']>['caps'][number]

const [chain, token, redeemable, cap] = CONSOLE_TEXTS.vouchers.head

const CAP_COLUMNS: readonly Column<Cap>[] = [
  [chain, ({ chainId }) => chainId],
  [token, (row) => row.token, undefined, 'text'],
  [redeemable, (row) => row.redeemable],
  [cap, (row) => row.cap],
]

function voucherState(vouchers: ConsoleFigures['vouchers']) {
  if (vouchers === null) return 'off'
  if (!vouchers.isAdopted) return 'unadopted'
  if (vouchers.isPaused) return 'paused'
  return vouchers.caps.some(({ isLost }) => isLost) ? 'lost' : 'running'
}

export function VouchersPanel({ found: { vouchers } }: Props) {
  const H = CONSOLE_TEXTS.vouchers
  return (
    <ConsolePanel title={H.title} id="vouchers">
      <p class="inset">{H[voucherState(vouchers)]}</p>
      {vouchers && vouchers.caps.length > 0 && (
        <Table
          columns={CAP_COLUMNS}
          rows={vouchers.caps}
          keyOf={(row) => `${row.chainId} ${row.token}`}
        />
      )}
    </ConsolePanel>
  )
}
