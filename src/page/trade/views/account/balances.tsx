import { HOUR_MS } from '../../../../spec/durations.ts'
import { rowsOf, textOf } from '../../../common/exact-json.ts'
import { fixed, near } from '../../../common/format.ts'
import { balances } from '../../account/past.ts'
import { session } from '../../account/session.ts'
import { openList } from '../../account/state.ts'
import { api, followed } from '../../feed/service.ts'
import { A } from '../../messages/account.ts'
import { type Known, ListTable } from './table.tsx'

const H = A.lists.head

const chainsReading = followed(() =>
  openList.value === 'balances'
    ? {
        name: 'deposit chains',
        everyMs: HOUR_MS,
        policy: 'read',
        load: () => api.get('/api/prep/deposit-chains'),
      }
    : null,
)

/** What the account holds, and where deposits go. */
export function BalanceRows({ isKnown }: Known) {
  return (
    <>
      {session.value && (
        <ListTable
          list="balances"
          head={[H.token, H.balance, H.frozen]}
          isKnown={isKnown}
          count={balances.value.length}
        >
          {balances.value.map(({ token, amount, frozen }) => (
            <tr key={token}>
              <td>{token}</td>
              <td>{fixed(amount, 6)}</td>
              <td>{fixed(frozen, 6)}</td>
            </tr>
          ))}
        </ListTable>
      )}
      <Deposits />
    </>
  )
}

function Deposits() {
  const rows = rowsOf(chainsReading.value.data, 'rows')
  return (
    <div class="deposits">
      <h3>{A.lists.deposits}</h3>
      <p class="quiet">{A.lists.depositsWhy}</p>
      <table>
        <thead>
          <tr>
            <th>{A.lists.chain}</th>
            <th>{A.lists.vault}</th>
            <th>{A.lists.usdc}</th>
            <th>{A.lists.fee}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={textOf(row, 'chainId')}>
              <td>
                {textOf(row, 'name')} <span class="quiet">{textOf(row, 'chainId')}</span>
              </td>
              <td>
                <code>{textOf(row, 'vault')}</code>
              </td>
              <td>
                <code>{textOf(row, 'usdc')}</code>
              </td>
              <td>{fixed(near(textOf(row, 'withdrawalFee')), 2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
