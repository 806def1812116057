import { HOUR_MS } from '../../../../spec/durations.ts'
import { rowsOf, textOf } from '../../../common/exact-json.ts'
import { fixed, near } from '../../../common/format.ts'
import { Table } from '../../../common/table.tsx'
import { balances } from '../../account/past.ts'
import { session } from '../../account/session.ts'
import { openList } from '../../account/state.ts'
import { api, followed } from '../../feed/service.ts'
import { A } from '../../messages/account.ts'
import { Cell, type Known, ListTable } from './table.tsx'

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
              <Cell name={H.token}>{token}</Cell>
              <Cell name={H.balance}>{fixed(amount, 6)}</Cell>
              <Cell name={H.frozen}>{fixed(frozen, 6)}</Cell>
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
      <Table head={[A.lists.chain, A.lists.vault, A.lists.usdc, A.lists.fee]}>
        {rows.map((row) => (
          <tr key={textOf(row, 'chainId')}>
            <Cell name={A.lists.chain}>
              {textOf(row, 'name')} <span class="quiet">{textOf(row, 'chainId')}</span>
            </Cell>
            <Cell name={A.lists.vault}>
              <code>{textOf(row, 'vault')}</code>
            </Cell>
            <Cell name={A.lists.usdc}>
              <code>{textOf(row, 'usdc')}</code>
            </Cell>
            <Cell name={A.lists.fee}>{fixed(near(textOf(row, 'withdrawalFee')), 2)}</Cell>
          </tr>
        ))}
      </Table>
    </div>
  )
}
