import type { ConsoleFigures } from '../../contract/console/figures.ts'
import type { Clock } from '../../core/ports.ts'
import { readCapUse } from './issue.ts'
import { areVouchersStopped } from './pause.ts'
import type { VoucherService } from './service.ts'

/** One metric: its name without the program's prefix, its help text, and a value per set of labels. */
export type VoucherMetric = {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly samples: readonly { readonly labels: string; readonly value: number | bigint }[]
}

/** The metrics of the voucher service. Amounts are in the smallest units of the paid token. */
export async function serviceFigures(
  service: VoucherService,
  clock: Clock,
): Promise<VoucherMetric[]> {
  const { store, signers, disagreements } = service
  const { rows, held } = await store.count()
  const isStopped = await areVouchersStopped(store)
  const caps = (await readCaps(service, clock)).map(({ chainId, token, ...amounts }) => {
    return { labels: `{chain="${chainId}",token="${token}"}`, ...amounts }
  })
  const bare = (value: number) => [{ labels: '', value }]
  return [
    gauge('voucher_rows', 'Deposits with a voucher.', bare(rows)),
    gauge(
      'voucher_held',
      'Deposits that are held: prepd --mode admin voucher list says why.',
      bare(held),
    ),
    gauge(
      'voucher_paused',
      'Whether vouchers are paused, or wait for prepd --mode admin voucher adopt.',
      bare(Number(isStopped)),
    ),
    gauge(
      'voucher_signer_conflict',
      'Whether another instance signs vouchers with an unknown key, so that this one signs no vouchers.',
      bare(Number(signers?.hadConflict() ?? false)),
    ),
    gauge(
      'voucher_cap_units',
      'Maximum redeemable amount in any 24 hours.',
      caps.map(({ labels, cap }) => ({ labels, value: cap })),
    ),
    gauge(
      'voucher_redeemable_units',
      'Redeemable amount now or in the last 24 hours, without lost vouchers.',
      caps.map(({ labels, used }) => ({ labels, value: used })),
    ),
    gauge(
      'voucher_lost',
      'Whether lost vouchers may use the rest of a cap, so that no new voucher is signed.',
      caps.map(({ labels, isLost }) => ({ labels, value: Number(isLost) })),
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

/** The voucher figures of the console. A token is identified by its position in the settings, never by its address. */
export async function consoleFigures(
  service: CappedService,
  clock: Clock,
): Promise<NonNullable<ConsoleFigures['vouchers']>> {
  const caps = (await readCaps(service, clock)).map(({ chainId, cap, used, isLost }, at) => {
    return { chainId, token: at + 1, cap: String(cap), redeemable: String(used), isLost }
  })
  const [isPaused, isAdopted] = await Promise.all([
    service.store.isPaused(),
    service.store.isAdopted(),
  ])
  return { isPaused, isAdopted, caps }
}

export type CappedService = Pick<VoucherService, 'config' | 'store'>

/** For each capped token: its cap, the amount of it that is in use, and whether lost vouchers may use the rest. */
export function readCaps({ config, store }: CappedService, clock: Clock) {
  return Promise.all(
    Array.from(config.caps.keys(), async (key) => {
      const [token = '', chain = ''] = key.split(':')
      const chainId = Number(chain)
      const paid = { destinationChainId: chainId, token }
      return { chainId, token, ...(await readCapUse({ books: store, clock, config }, paid)) }
    }),
  )
}

function gauge(name: string, help: string, samples: VoucherMetric['samples']): VoucherMetric {
  return { name, type: 'gauge', help, samples }
}
