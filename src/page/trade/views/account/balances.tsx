import { fixed } from '../../../common/format.ts'
import { balances } from '../../account/past.ts'
import { session } from '../../account/session.ts'
import { A } from '../../messages/account.ts'
import { N } from '../../messages/pages.ts'
import { PageLink } from '../parts/link.tsx'
import { Cell, type Known, ListTable } from './table.tsx'

const H = A.lists.head

/** What the account holds, and where it is moved. */
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
      <Moves />
    </>
  )
}

function Moves() {
  return (
    <p class="empty">
      {A.lists.movesWhy} <PageLink page="deposit">{N.deposit}</PageLink>
      {' · '}
      <PageLink page="withdraw">{N.withdraw}</PageLink>
    </p>
  )
}
