import { MINUTE_MS } from '../../../../spec/durations.ts'
import { shownPage } from '../../../common/address.ts'
import { refreshAccount, session } from '../../account/session.ts'
import { accountTopic, SLOW_MS } from '../../account/state.ts'
import { type PublicRead, publicRead } from '../../feed/public-read.ts'
import { followed } from '../../feed/service.ts'

/** What the venue answers of the account's referrals. */
export const referral: PublicRead = {
  reading: followed(() =>
    shownPage.value === 'rewards' ? accountTopic('/v1/referral/info', SLOW_MS) : null,
  ),
  everyMs: SLOW_MS,
  refresh: refreshAccount,
}

/** The points of the wallet whose account is open. */
export const points = publicRead('rewards', MINUTE_MS, () =>
  session.value ? `/api/prep/points?address=${session.value.address}` : null,
)
