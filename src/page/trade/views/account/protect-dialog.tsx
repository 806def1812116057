import { signal } from '@preact/signals'
import { absolute, times } from '../../../common/amounts.ts'
import { fill, signed } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { legOf, protectionOf } from '../../account/conditional.ts'
import type { Position } from '../../account/rows.ts'
import { conditionals, positions } from '../../account/state.ts'
import { rules } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { F } from '../../messages/ticket.ts'
import { LEGS, type LegName, type LegPrices, legProblem } from '../../orders/conditional.ts'
import { editConditional, protectPosition } from '../../orders/conditional-commands.ts'
import { legPrices } from '../../orders/conditional-outcomes.ts'
import { type FieldProblem, legText } from '../../orders/problems.ts'
import { baseOf, inputText, priceText, typed } from '../../orders/text.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field, Segments } from '../parts/form.tsx'
import { closeProblems } from './close-dialog.tsx'

/** The market whose position is being protected. */
const protecting = signal('')
const scope = signal<'whole' | 'part'>('whole')
const inputs = { TAKE_PROFIT: signal(''), STOP_LOSS: signal('') } as const
const sizeInput = signal('')

const SCOPES = [
  ['whole', A.lists.wholePosition],
  ['part', A.lists.part],
] as const

/** Opens the dialog with what protects the position now. */
export function protect(position: Position): void {
  protecting.value = position.symbol
  sizeInput.value = inputText(absolute(position.size))
  choose('whole', position)
}

function choose(name: 'whole' | 'part', position: Position): void {
  const { whole } = protectionOf(conditionals.peek(), position)
  scope.value = name
  for (const leg of LEGS) {
    const at = name === 'whole' && whole ? legOf(whole, leg)?.trigger : null
    inputs[leg].value = at ? inputText(at) : ''
  }
}

function shut(): void {
  protecting.value = ''
}

/** The take profit and the stop loss of a position, of all of it or of a part. */
export function ProtectDialog() {
  const position = positions.value.find(({ symbol }) => symbol === protecting.value)
  if (!position) return null
  const form = formOf(position)
  const { kept, offered } = form
  return (
    <Dialog title={fill(A.lists.protectOf, { base: baseOf(position.symbol) })} onClose={shut}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (form.isSound) send(position, form)
        }}
      >
        <Segments
          label={A.lists.part}
          kind="scopes"
          options={SCOPES}
          chosen={scope.value}
          onChoose={(name) => choose(name, position)}
        />
        <p class="quiet">
          {scope.value === 'whole' ? A.lists.protectWhole : A.lists.protectPart}{' '}
          {offered.length < LEGS.length && A.lists.oneEach}
        </p>
        <Reference position={position} />
        <Inputs position={position} form={form} />
        <p class="row end">
          <button type="button" onClick={shut}>
            {M.cancel}
          </button>
          <button type="submit" class="primary" disabled={!form.isSound}>
            {kept ? A.lists.save : A.lists.set}
          </button>
        </p>
      </form>
    </Dialog>
  )
}

type Form = ReturnType<typeof formOf>

/** What is filled in, and whether it can be sent. */
function formOf(position: Position) {
  const { whole } = protectionOf(conditionals.value, position)
  const isPart = scope.value === 'part'
  // What waits for the whole position keeps its legs: their triggers are changed.
  const kept = isPart ? null : whole
  const offered = LEGS.filter((leg) => !kept || legOf(kept, leg) !== null)
  const part = isPart ? typed(sizeInput.value) : null
  const broken = part === null ? null : closeProblems(position, part, null).size
  const prices = pricesOf(offered)
  const isLegSound = (leg: LegName) =>
    inputs[leg].value.trim() === '' || (prices[leg] !== null && problemOf(position, leg) === null)
  const isSound =
    offered.some((leg) => prices[leg] !== null) &&
    offered.every(isLegSound) &&
    (!isPart || (part !== null && broken === null))
  return { kept, offered, part, broken, prices, isSound }
}

function send(position: Position, { kept, part, prices }: Form): void {
  shut()
  if (kept) void editConditional(kept, { trigger: null, price: null, size: null, legs: prices })
  else void protectPosition(position, part, prices)
}

type Shown = { readonly position: Position }

function Reference({ position: { symbol, entry, mark, liquidation } }: Shown) {
  return (
    <Pairs
      rows={[
        [A.lists.head.entry, priceText(symbol, entry)],
        [A.lists.head.mark, priceText(symbol, mark)],
        [A.lists.head.liquidation, liquidation > 0n ? priceText(symbol, liquidation) : M.none],
      ]}
    />
  )
}

function Inputs({ position, form }: Shown & { readonly form: Form }) {
  const { offered, part, broken, prices } = form
  const suffix = baseOf(position.symbol)
  return (
    <>
      {scope.value === 'part' && (
        <Field label={A.lists.partSize} input={sizeInput} suffix={suffix} problem={broken} />
      )}
      {offered.map((leg) => (
        <Field
          key={leg}
          label={`${F.legs[leg]} (${A.lists.head.mark})`}
          input={inputs[leg]}
          suffix={pnlText(position, part, prices[leg])}
          problem={problemOf(position, leg)}
        />
      ))}
    </>
  )
}

function pricesOf(offered: readonly LegName[]): LegPrices {
  const at = (leg: LegName) => (offered.includes(leg) ? typed(inputs[leg].value) : null)
  return { TAKE_PROFIT: at('TAKE_PROFIT'), STOP_LOSS: at('STOP_LOSS') }
}

function problemOf({ symbol, size, mark }: Position, leg: LegName): FieldProblem | null {
  const at = typed(inputs[leg].value)
  const rule = rules.value.get(symbol)
  if (at === null || !rule) return null
  const wanted = { leg, isLong: size > 0n, reference: mark }
  return legText(symbol, legProblem(rule, wanted, at), wanted)
}

/** What the position, or a part of it, would have won at a trigger, before fees. */
function pnlText({ size, entry }: Position, part: bigint | null, at: bigint | null): string {
  if (at === null) return 'USDC'
  const closed = part ?? absolute(size)
  const won = times(closed, size > 0n ? at - entry : entry - at)
  return `${signed(won, 2)} USDC`
}

/** What protects a position, a line each. */
export function protectionText(position: Position): readonly string[] {
  const { whole, parts } = protectionOf(conditionals.value, position)
  const own = whole ? legPrices(whole) : []
  const prices = own.map(([leg, at]) => `${A.lists.legs[leg]} ${priceText(position.symbol, at)}`)
  const others = parts.length > 0 ? [fill(A.lists.protectedBy, { count: parts.length })] : []
  return [...prices, ...others]
}
