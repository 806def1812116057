import type { Clock } from '../core/ports.ts'
import type { VoucherDesk } from './desk.ts'
import { redeemable } from './issue.ts'

/** One metric: its name without the program's, what it counts, and a value for each set of labels. */
export type Figure = {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly samples: readonly { readonly labels: string; readonly value: number | bigint }[]
}

/** What an operator should watch of a desk. Amounts are in the smallest units of the paid token. */
export function deskFigures({ store, config, disagreements }: VoucherDesk, clock: Clock): Figure[] {
  const { rows, held } = store.count()
  const caps = Array.from(config.caps, ([key, cap]) => {
    const [token = '', chain = ''] = key.split(':')
    const paid = { destinationChainId: Number(chain), token }
    return { labels: `{chain="${chain}",token="${token}"}`, cap, paid }
  })
  const bare = (value: number) => [{ labels: '', value }]
  return [
    gauge('voucher_rows', 'Deposits with a voucher.', bare(rows)),
    gauge(
      'voucher_held',
      'Deposits that are held: prepd --mode admin voucher list says why.',
      bare(held),
    ),
    gauge('voucher_paused', 'Whether vouchers are paused.', bare(Number(store.isPaused()))),
    gauge(
      'voucher_cap_units',
      'What can be redeemed in any 24 hours at most.',
      caps.map(({ labels, cap }) => ({ labels, value: cap })),
    ),
    gauge(
      'voucher_redeemable_units',
      'What can be redeemed now, or could in the last 24 hours.',
      caps.map(({ labels, paid }) => ({ labels, value: redeemable({ store, clock }, paid) })),
    ),
    {
      ...gauge(
        'voucher_disagreements_total',
        'Endpoints of a chain contradicted each other.',
        bare(disagreements.total()),
      ),
      type: 'counter',
    },
  ]
}

function gauge(name: string, help: string, samples: Figure['samples']): Figure {
  return { name, type: 'gauge', help, samples }
}
