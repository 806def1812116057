import { ONE } from '../../../core/decimals.ts'
import { amountText, toAmount } from '../../../perp/amounts.ts'
import { bodyText } from '../../../perp/write-body.ts'
import { type Exact, memberText } from '../../common/exact-json.ts'
import { filledTemplate, fixedText } from '../../common/format.ts'
import type { Rows } from '../../common/pairs.tsx'
import { read } from '../account/relay.ts'
import { type AccountPosition, accountPositions, isIsolatedIn } from '../account/rows.ts'
import { leveragePath } from '../account/state.ts'
import { ACCOUNT_TEXTS } from '../messages/account.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import { awaitOutcome, type ReadOutcome } from './outcomes.ts'
import { priceText, symbolBase } from './text.ts'
import { askAndSend } from './writes.ts'

const OUTCOME_TEXTS = ACCOUNT_TEXTS.outcomes

/** Sets a market's leverage in cross or isolated mode. Resolves to true once the venue has accepted it. */
export function changeLeverage(
  symbol: string,
  leverage: number,
  isOwn: boolean,
  estimates: Rows = [],
): Promise<boolean> {
  const base = symbolBase(symbol)
  return askAndSend({
    method: 'POST',
    path: '/v1/client/leverages',
    body: bodyText({
      symbol,
      leverage: toAmount(leverage),
      margin_mode: isOwn ? 'ISOLATED' : null,
    }),
    title: filledTemplate(ACCOUNT_TEXTS.margin.leverageTitle, { base, leverage: `${leverage}×` }),
    rows: [[ACCOUNT_TEXTS.margin.mode, modeText(isOwn)], ...estimates],
    outcome: settingOutcome({
      path: leveragePath(symbol, isOwn),
      settingIn: (answer) => Number(memberText(answer, 'leverage')),
      isWanted: (found) => found === leverage,
      textOf: (found, isSet) =>
        filledTemplate(isSet ? OUTCOME_TEXTS.leverageSet : OUTCOME_TEXTS.leverageStays, {
          base,
          leverage: `${found}×`,
        }),
    }),
  })
}

/** Sets a market's margin mode for new orders. Resolves to true once the venue has accepted it. */
export function changeMarginMode(symbol: string, isOwn: boolean): Promise<boolean> {
  const base = symbolBase(symbol)
  const name = isOwn ? 'ISOLATED' : 'CROSS'
  return askAndSend({
    method: 'POST',
    path: '/v1/client/margin_mode',
    body: bodyText({ symbol, default_margin_mode: name }),
    title: filledTemplate(ACCOUNT_TEXTS.margin.modeTitle, { base, mode: modeText(isOwn) }),
    rows: [[ACCOUNT_TEXTS.margin.mode, ACCOUNT_TEXTS.margin.why[name]]],
    outcome: settingOutcome({
      path: '/v1/client/margin_modes',
      settingIn: (answer) => isIsolatedIn(answer, symbol),
      isWanted: (found) => found === isOwn,
      textOf: (found, isSet) =>
        filledTemplate(isSet ? OUTCOME_TEXTS.modeSet : OUTCOME_TEXTS.modeStays, {
          base,
          mode: modeText(found),
        }),
    }),
  })
}

function modeText(isOwn: boolean): string {
  return isOwn ? TICKET_TEXTS.isolated : TICKET_TEXTS.cross
}

/** Moves margin into an isolated position; a negative amount moves it out. Resolves to true once the venue has accepted it. */
export function changeMargin(
  { symbol, margin }: AccountPosition,
  amount: bigint,
  estimates: Rows,
): Promise<boolean> {
  const base = symbolBase(symbol)
  const isAdded = amount > 0n
  const moved = isAdded ? amount : -amount
  return askAndSend({
    method: 'POST',
    path: '/v1/position_margin',
    // The venue requires this amount as a string.
    body: JSON.stringify({ symbol, amount: amountText(moved), type: isAdded ? 'ADD' : 'REDUCE' }),
    title: filledTemplate(
      isAdded ? ACCOUNT_TEXTS.margin.addTitle : ACCOUNT_TEXTS.margin.removeTitle,
      {
        amount: fixedText(moved, 2),
        base,
      },
    ),
    rows: [
      [TICKET_TEXTS.margin, `${fixedText(margin, 2)} → ${fixedText(margin + amount, 2)} USDC`],
      ...estimates,
    ],
    outcome: settingOutcome({
      path: '/v1/positions',
      settingIn: (answer) =>
        accountPositions(answer).find((row) => row.symbol === symbol && row.isIsolated) ?? null,
      isWanted: (found) => isWithinTolerance(found.margin, margin + amount),
      textOf: ({ margin: found, liquidation }, isSet) =>
        filledTemplate(isSet ? OUTCOME_TEXTS.marginSet : OUTCOME_TEXTS.marginStays, {
          ...{ base, margin: fixedText(found, 2) },
          liquidation: liquidation > 0n ? priceText(symbol, liquidation) : PAGE_TEXTS.none,
        }),
    }),
  })
}

/** Tolerance of one cent when checking the new margin, which otherwise changes only by closing the position. */
const MARGIN_TOLERANCE = ONE / 100n

function isWithinTolerance(margin: bigint, wanted: bigint): boolean {
  return margin - wanted < MARGIN_TOLERANCE && wanted - margin < MARGIN_TOLERANCE
}

type Setting<T> = {
  /** The path of the setting; `settingIn` returns its value in the answer, null if missing. */
  readonly path: string
  readonly settingIn: (answer: Exact) => T | null
  readonly isWanted: (value: T) => boolean
  readonly textOf: (value: T, isSet: boolean) => string
}

/** Reads the outcome of a setting change by comparing the current value with the requested value. */
function settingOutcome<T>({ path, settingIn, isWanted, textOf: text }: Setting<T>): ReadOutcome {
  return (key) =>
    awaitOutcome(
      async () => settingIn(await read(key, path)),
      isWanted,
      (value) => {
        const isSet = isWanted(value)
        return { kind: isSet ? 'good' : 'bad', text: text(value, isSet) }
      },
    )
}
