import { signal } from '@preact/signals'
import { FAUCET_PATH } from '../../../../spec/faucet.ts'
import { textOf } from '../../../common/exact-json.ts'
import { fill, fixed, near } from '../../../common/format.ts'
import { send, sign, stamp } from '../../account/relay.ts'
import { refreshAccount, session } from '../../account/session.ts'
import { W } from '../../messages/money.ts'
import { notify, notifyFailure } from '../../messages/notices.ts'

const isFilling = signal(false)

/** Money of the simulated venue, for nothing. */
export function Faucet() {
  return (
    <section class="panel" aria-label={W.faucet.title}>
      <div class="head">
        <h2>{W.faucet.title}</h2>
      </div>
      <div class="inside">
        <p class="quiet">{W.faucet.why}</p>
        <p class="row">
          <button
            type="button"
            class="primary"
            disabled={isFilling.value}
            onClick={() => void fillUp()}
          >
            {W.faucet.submit}
          </button>
        </p>
      </div>
    </section>
  )
}

async function fillUp(): Promise<void> {
  const key = session.peek()
  if (!key) return
  isFilling.value = true
  try {
    const answer = await send(await sign(key, stamp({ method: 'POST', path: FAUCET_PATH })))
    const credited = near(textOf(answer, 'creditedUsdc'))
    const full = fixed(near(textOf(answer, 'fullUsdc')), 0)
    const text = credited === 0n ? W.faucet.full : W.faucet.done
    notify({ kind: 'good', text: fill(text, { full, amount: fixed(credited, 2) }) })
    refreshAccount()
  } catch (error) {
    notifyFailure(error)
  } finally {
    isFilling.value = false
  }
}
