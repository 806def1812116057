import { type Row, rowsAt } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { defaultModeIn, modeLeverageIn, otherModeExcess } from '../../perp/margin-modes.ts'
import type { MarginMode } from '../../perp/positions.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { excessRefusal, tightestLimits } from '../limit-rules.ts'
import { limitRefusal } from '../refusal.ts'
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
  const [modes = [], leverages = []] = await Promise.all(
    ['/v1/client/margin_modes', '/v1/client/leverages'].map((path) =>
      readSettingRows(context, path),
    ),
  )
  if (defaultModeIn(modes, symbol) === mode) return false
  const found = otherModeExcess(tightestLimits(context), modeLeverageIn(leverages, symbol, mode))
  if (found === 'unknown') throw limitRefusal({ reason: 'unknown', next: NO_LEVERAGE })
  const [first] = found
  if (first) throw excessRefusal(context, first)
  return true
}

async function readSettingRows(context: SignedContext, path: string): Promise<readonly Row[]> {
  const unknown = defaultOnFailure('mcp', null, ClientFailure)
  return rowsAt(await accountRead(context, path).catch(unknown), 'rows')
}

const NO_LEVERAGE =
  'The venue does not say which leverage this margin mode has in the market. Use the default margin mode of the market.'
