import type { Settings } from '../core/settings/settings.ts'
import { createFaucet, type Faucet } from '../gateway/account/faucet.ts'
import type { OpenVenue } from './venue-port.ts'

/** The faucet of the embedded venue; null with a live one. */
export function createVenueFaucet(
  { venue: { faucetMicros } }: Settings,
  { practice }: Pick<OpenVenue, 'practice'>,
): Faucet | null {
  return (
    practice &&
    createFaucet({
      fullMicros: faucetMicros,
      holdingOf: async (accountId) => (await practice.showAccount(accountId))?.holdingUsdc ?? null,
      credit: async (accountId, micros) => void (await practice.fundAccount(accountId, micros)),
    })
  )
}
