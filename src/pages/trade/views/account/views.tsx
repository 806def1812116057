import type { ReadonlySignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import type { ApiFailure } from '../../../common/api.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { keyState } from '../../account/session.ts'
import {
  conditionalReading,
  type ListName,
  openList,
  ordersReading,
  positionsReading,
} from '../../account/state.ts'
import type { ChartSurface } from '../../chart/candle-chart.ts'
import { drawOwn, fillMarks } from '../../chart/own-marks.ts'
import { STALE_MS, type TopicReading } from '../../feed/feed.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { failureMessage } from '../../messages/failure-messages.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { placeNewOrder, placeScaled } from '../../orders/commands.ts'
import { placeBracket, placeConditional } from '../../orders/conditional-commands.ts'
import { question } from '../../orders/question.ts'
import { asksFirst } from '../../orders/switches.ts'
import { startTwap } from '../../orders/twap.ts'
import { Dialog, Stale } from '../parts/dialog.tsx'
import { Checkbox } from '../parts/form.tsx'
import { LimitNotice } from '../parts/limit-notice.tsx'
import { AllDialog } from './all-dialog.tsx'
import { CloseDialog } from './close-dialog.tsx'
import { ConditionalDialog } from './conditional-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { askLeverage, LeverageDialog } from './leverage-dialog.tsx'
import { type ListAnswer, listTools } from './list-table.tsx'
import { CancelOrders, CancelWaiting, ConditionalRows, OrderRows } from './lists.tsx'
import { MarginDialog } from './margin-dialog.tsx'
import { moveLine } from './move-line.ts'
import { AccountPanel } from './panel.tsx'
import { ClosePositions, HeldPositions, PositionRows } from './positions.tsx'
import { ProtectDialog } from './protect-dialog.tsx'
import { SignedText } from './signed-text.tsx'
import { TwapStatus } from './twap-status.tsx'
import { accountWarnings } from './warnings.ts'

type ListView = {
  readonly reading: ReadonlySignal<TopicReading>
  readonly Rows: ComponentType<ListAnswer>
  /** The button for an action on all rows. */
  readonly All?: ComponentType
}

/** The lists of an account; the lists of past events are added when their code is loaded. */
const VIEWS: Readonly<Partial<Record<ListName, ListView>>> = {
  positions: { reading: positionsReading, Rows: PositionRows, All: ClosePositions },
  orders: { reading: ordersReading, Rows: OrderRows, All: CancelOrders },
  conditional: { reading: conditionalReading, Rows: ConditionalRows, All: CancelWaiting },
}

/** The parts of the page that need an open account. */
export const ACCOUNT_VIEWS = {
  placeOrder: placeNewOrder,
  placeScaled,
  startTwap,
  TwapStatus,
  Held: HeldPositions,
  placeConditional,
  placeBracket,
  askLeverage,
  AccountPanel,
  Dialogs,
  fillMarks,
  drawOwn: (ground: ChartSurface) => drawOwn(ground, moveLine),
  accountWarnings,
  lists: VIEWS,
  ListBar,
  OpenList,
} as const

/** The rows of a list, below the failure of its read. */
function OpenList({ view: { reading, Rows } }: { readonly view: ListView }) {
  const { data, failure } = reading.value
  const isActive = keyState.value === 'active'
  return (
    <>
      {failure && isActive && <Trouble failure={failure} />}
      {data === null && !failure && isActive && <p class="empty">{PAGE_TEXTS.lists.waiting}</p>}
      <Rows data={data} />
    </>
  )
}

function Trouble({ failure }: { readonly failure: ApiFailure }) {
  const { text, next } = failureMessage(failure)
  return (
    <p class="notice inset">
      {text} {next}
    </p>
  )
}

/** The age of the open list, its filter, and its buttons. */
function ListBar({ view }: { readonly view: ListView }) {
  const { value: list } = openList
  if (keyState.value !== 'active') return null
  return (
    <span class="row end">
      <Stale
        reading={view.reading.value}
        afterMs={STALE_MS[list === 'conditional' ? 'conditional' : 'account']}
      />
      {listTools.value && <listTools.value.ListBar list={list} />}
      {view.All && <view.All />}
    </span>
  )
}

/** The dialogs for orders and positions, with the confirmation of writes on top. */
function Dialogs() {
  return (
    <>
      <EditDialog />
      <ConditionalDialog />
      <CloseDialog />
      <ProtectDialog />
      <MarginDialog />
      <LeverageDialog />
      <AllDialog />
      <ConfirmDialog />
    </>
  )
}

/** The dialog that shows a write, and on request the exact bytes, before it is signed. */
function ConfirmDialog() {
  const { value } = question
  if (!value) return null
  const [no, yes] = value.answers
  return (
    <Dialog
      key={value.answer}
      title={value.title}
      tone={value.tone}
      onClose={() => value.answer(false)}
    >
      <Pairs rows={value.rows} />
      <LimitNotice found={value.limits} />
      {asksFirst.value && <SignedText call={value.call} />}
      <Checkbox label={ACCOUNT_TEXTS.confirm.always} checked={asksFirst} />
      <p class="row end">
        <button type="button" onClick={() => value.answer(false)}>
          {no}
        </button>
        <button
          type="button"
          class={`primary ${value.tone ?? ''}`}
          onClick={() => value.answer(true)}
        >
          {yes}
        </button>
      </p>
    </Dialog>
  )
}
