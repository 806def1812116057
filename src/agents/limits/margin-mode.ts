import { type Row, rowsAt } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import type { MarginMode } from '../../perp/positions.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { assertLeverage, tightestLimits } from '../limit-rules.ts'
import { limitRefusal } from '../refusal.ts'
import { figure } from '../rows.ts'
import type { SignedContext } from '../tool.ts'

/** A write that names a margin mode for a market. */
type ModeWrite = { readonly symbol: string; readonly mode?: MarginMode | undefined }

/**
 * Whether a write names a margin mode that is not its market's default; true if the default is unknown. Throws
 * mandate_exceeded if the leverage of the named mode is above the maximum. The relay's mandate check reuses these
 * answers, so they are read before the write.
 */
export async function namesOtherMarginMode(
  context: SignedContext,
  { symbol, mode }: ModeWrite,
): Promise<boolean> {
  if (mode === undefined) return false
  const [modes, leverages] = await Promise.all(
    ['/v1/client/margin_modes', '/v1/client/leverages'].map((path) =>
      readSettingRows(context, path),
    ),
  )
  const own = modes?.find((row) => row['symbol'] === symbol)
  if (own?.['default_margin_mode'] === mode) return false
  assertLeverageInMode(context, leverages ?? [], { symbol, mode })
  return true
}

async function readSettingRows(
  context: SignedContext,
  path: string,
): Promise<readonly Row[] | null> {
  const answer = await accountRead(context, path).catch(
    defaultOnFailure('mcp', null, ClientFailure),
  )
  return answer === null ? null : rowsAt(answer, 'rows')
}

function assertLeverageInMode(
  context: SignedContext,
  rows: readonly Row[],
  { symbol, mode }: ModeWrite,
): void {
  if (tightestLimits(context).maxLeverage === undefined) return
  const row = rows.find((each) => each['symbol'] === symbol && each['margin_mode'] === mode)
  const requested = figure(row ?? {}, 'leverage')
  if (requested === 0) throw limitRefusal({ reason: 'unknown', next: NO_LEVERAGE })
  assertLeverage(context, requested)
}

const NO_LEVERAGE =
  'The venue does not say which leverage this margin mode has in the market. Use the default margin mode of the market.'
