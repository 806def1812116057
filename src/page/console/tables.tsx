import type { ComponentChildren } from 'preact'
import type {
  ConsoleFigures,
  ConsolePlace,
  Count,
  OperationFigures,
} from '../../spec/console/figures.ts'
import { age, dayTime, fill } from '../common/format.ts'
import { Pairs } from '../common/pairs.tsx'
import { Table } from '../common/table.tsx'
import { bytes, count, milliseconds } from './figures-text.ts'
import { M } from './messages.ts'

type Props = { readonly found: ConsoleFigures }

/** Requests and latency percentiles by operation, and what the cache did for each. */
export function Operations({ found: { operations } }: Props) {
  const H = M.operations
  const rows = operations.toSorted((a, b) => b.total - a.total)
  return (
    <Panel title={H.title} id="operations" why={H.why}>
      {rows.length === 0 ? (
        <p class="empty">{H.none}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key as well.
        <div class="scroll" tabIndex={0}>
          <Table head={H.head}>
            {rows.map((row) => (
              <Operation key={row.name} row={row} />
            ))}
          </Table>
        </div>
      )}
    </Panel>
  )
}

function Operation({ row }: { readonly row: OperationFigures }) {
  return (
    <tr data-operation={row.name}>
      <td>{row.name}</td>
      <td data-total={row.total}>{count(row.total)}</td>
      <td>{count(row.count)}</td>
      <td class={row.failed > 0 ? 'down' : 'quiet'}>{count(row.failed)}</td>
      <td>{milliseconds(row.p50Ms)}</td>
      <td>{milliseconds(row.p95Ms)}</td>
      <td>{milliseconds(row.p99Ms)}</td>
      <td>{count(row.hits)}</td>
      <td>{count(row.stale)}</td>
      <td>{count(row.misses)}</td>
    </tr>
  )
}

/** Cancels that callers have signed ahead; nothing where nobody has. */
export function Standbys({ found: { standbys } }: Props) {
  const { title, state, count: counted } = M.standbys
  if (standbys.length === 0) return null
  return <Counts title={title} head={[state, counted]} rows={standbys} none="" />
}

/** Accounts that limits are stored for; nothing where there is none. */
export function Mandates({ found: { mandates } }: Props) {
  const { title, frozenBy, count: counted } = M.mandates
  if (mandates.length === 0) return null
  return <Counts title={title} head={[frozenBy, counted]} rows={mandates} none="" />
}

/** Writes that wait for the owners of accounts, or were decided by them; nothing where there is none. */
export function Approvals({ found: { approvals } }: Props) {
  const { title, state, count: counted } = M.approvals
  if (approvals.length === 0) return null
  return <Counts title={title} head={[state, counted]} rows={approvals} none="" />
}

export function Writes({ found: { writes } }: Props) {
  const { title, outcome, count: counted, none } = M.writes
  return <Counts id="writes" title={title} head={[outcome, counted]} rows={writes} none={none} />
}

export function Refusals({ found: { refusals } }: Props) {
  const { title, policy, count: counted, none } = M.refusals
  return <Counts id="refusals" title={title} head={[policy, counted]} rows={refusals} none={none} />
}

function backupAge(atMs: number | null, nowMs: number): string {
  const { state } = M
  if (atMs === null) return state.absent
  return atMs === 0 ? state.never : fill(state.ago, { age: age(nowMs - atMs), at: dayTime(atMs) })
}

function certificate(endMs: number | null, nowMs: number): string {
  const { state } = M
  if (endMs === null) return state.plain
  const isOver = endMs <= nowMs
  return isOver ? state.ended : fill(state.ends, { age: age(endMs - nowMs), at: dayTime(endMs) })
}

/** What the process holds, and what this deployment has. */
export function State({ found: { atMs, memory, store, streams, swap, machine } }: Props) {
  const { state } = M
  return (
    <Panel title={state.title} id="state">
      <Pairs
        rows={[
          [state.resident, bytes(memory.residentBytes)],
          [state.heap, bytes(memory.heapBytes)],
          [state.store, store.fileBytes === null ? state.shared : bytes(store.fileBytes)],
          [state.log, store.logBytes === null ? state.shared : bytes(store.logBytes)],
          [state.free, machine.freeBytes === null ? state.absent : bytes(machine.freeBytes)],
          [state.backup, backupAge(store.backupAtMs, atMs)],
          [state.certificate, certificate(machine.certificateEndMs, atMs)],
          [state.clock, milliseconds(machine.clockSkewMs)],
          [state.instance, String(machine.processId)],
          [state.windows, count(store.windows)],
          [
            state.streams,
            streams ? `${count(streams.open)} / ${count(streams.subscribers)}` : state.absent,
          ],
          [state.swap, swap],
        ]}
      />
    </Panel>
  )
}

export function Vouchers({ found: { vouchers } }: Props) {
  const H = M.vouchers
  return (
    <Panel title={H.title} id="vouchers">
      <p class="inset">{vouchers === null ? H.off : vouchers.isPaused ? H.paused : H.running}</p>
      {vouchers && vouchers.caps.length > 0 && (
        <Table head={H.head}>
          {vouchers.caps.map(({ chainId, token, redeemable, cap }) => (
            <tr key={`${chainId} ${token}`}>
              <td>{chainId}</td>
              <td>{token}</td>
              <td>{redeemable}</td>
              <td>{cap}</td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  )
}

type CountsProps = {
  readonly id?: ConsolePlace
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly Count[]
  readonly none: string
}

function Counts({ id, title, head, rows, none }: CountsProps) {
  return (
    <Panel title={title} {...(id && { id })}>
      {rows.length === 0 ? (
        <p class="empty">{none}</p>
      ) : (
        <Table head={head}>
          {rows.map(({ name, count: times }) => (
            <tr key={name} data-name={name}>
              <td>{name}</td>
              <td>{count(times)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  )
}

type PanelProps = {
  readonly title: string
  /** The part of the console that links lead to. */
  readonly id?: ConsolePlace
  readonly why?: string
  readonly children: ComponentChildren
}

export function Panel({ title, id, why, children }: PanelProps) {
  return (
    <section class="panel" id={id} aria-label={title}>
      <div class="head">
        <h2>{title}</h2>
        {why && <span class="end quiet">{why}</span>}
      </div>
      {children}
    </section>
  )
}
