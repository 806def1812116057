import { memberOf, textOf } from '../../../common/exact-json.ts'
import { fill } from '../../../common/format.ts'
import { keyState, session } from '../../account/session.ts'
import { R } from '../../messages/rewards.ts'
import { Nobody } from '../connect/nobody.tsx'
import { shortId } from '../parts/dialog.tsx'
import { Points } from './points.tsx'
import { Codes, Periods } from './referral.tsx'
import { referral } from './state.ts'

/** Whom the account invited, what that paid, and the points of its wallet. */
export function Page() {
  const key = session.value
  return (
    <>
      <div class="title">
        <h1>{R.title}</h1>
        {key && (
          <span class="quiet" title={key.address}>
            {shortId(key.address)}
          </span>
        )}
      </div>
      {!key || keyState.value !== 'active' ? (
        <Nobody text={R.nobody} />
      ) : (
        <>
          <Joined />
          <Codes />
          <Periods />
          <Points />
        </>
      )}
    </>
  )
}

/** The code with which the account joined; nothing before it is known. */
function Joined() {
  const { data } = referral.reading.value
  const referee = memberOf(data, 'referee_info')
  if (referee === undefined) return null
  const code = textOf(referee, 'referer_code')
  return <p class="quiet">{code ? fill(R.joined, { code }) : R.notJoined}</p>
}
