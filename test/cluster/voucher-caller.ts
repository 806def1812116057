import { VOUCHER_REFUSALS } from '../../src/contract/voucher.ts'
import { jsonPost } from '../caller.ts'
import type { Mined } from '../evm/chain.ts'
import { SOURCE_ID } from '../evm/stage.ts'
import type { InstanceProcess } from './instances.ts'

/** Answers after which a caller asks again. */
const LATER = ['pending', VOUCHER_REFUSALS.unkept.error]

/** How often a voucher is asked for while it is not there yet: about two minutes. */
const ASKED_MAX = 120

/** Asks an instance for the voucher of a deposit, until it has seen that the deposit is final, and could record it. */
export async function askVoucher(
  instance: Pick<InstanceProcess, 'url'>,
  { transactionHash: txHash }: Pick<Mined, 'transactionHash'>,
) {
  const body = jsonPost({ chainId: SOURCE_ID, txHash })
  // Many who ask again at once would keep a slow machine from answering any of them.
  let waitMs = 20
  for (let asked = 1; ; asked += 1) {
    const response = await fetch(`${instance.url}/api/relayer/voucher`, body)
    const answer = { status: response.status, text: await response.text() }
    if (asked === ASKED_MAX || !LATER.some((word) => answer.text.includes(word))) return answer
    await Bun.sleep(waitMs)
    waitMs = Math.min(2 * waitMs, 1000)
  }
}
