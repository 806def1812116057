import { IN_KEYCHAIN } from '../contract/agent-limits.ts'
import { fromHex } from '../core/hex.ts'
import { reportUnexpected } from '../core/loop/guarded.ts'
import type { AgentSettings } from '../core/settings/settings.ts'
import { printable, UsageError } from '../core/settings/usage-error.ts'
import type { Keychain } from '../operator/command/command.ts'

const SERVICE = 'prepd'

/** The keychain of this user: Keychain of macOS, Credential Manager of Windows, Secret Service of Linux (libsecret). */
export const KEYCHAIN: Keychain = {
  find: (name) => awaitKeychain(Bun.secrets.get({ service: SERVICE, name })),
  put: (name, value) => awaitKeychain(Bun.secrets.set({ service: SERVICE, name, value })),
  remove: async (name) =>
    void (await awaitKeychain(Bun.secrets.delete({ service: SERVICE, name }))),
}

/** Awaits an answer of the keychain. Throws UsageError if the keychain is missing or locked. */
async function awaitKeychain<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer
  } catch (error) {
    reportUnexpected('process', error, Error)
    const reason = error instanceof Error ? printable(error.message) : 'unknown'
    throw new UsageError(
      `this system has no keychain that answers (${reason}): on Linux it needs libsecret and an unlocked keyring of a desktop session; keep the key in a file in place of it`,
    )
  }
}

/**
 * The settings of an agent including its key. The key comes from the keychain if the settings say so. Throws UsageError
 * if the keychain has no key of the account.
 */
export async function withKey(agent: AgentSettings, keychain: Keychain) {
  const { accountId, secret } = agent
  if (secret !== IN_KEYCHAIN) return { ...agent, secret }
  if (accountId === null)
    throw new UsageError('SERVICE_TRADING_KEY=keychain needs SERVICE_ACCOUNT_ID')
  const kept = fromHex((await keychain.find(accountId)) ?? '')
  if (kept?.length === SECRET_BYTES) return { ...agent, secret: kept }
  throw new UsageError(
    `SERVICE_TRADING_KEY=keychain: the keychain has no key of ${accountId}: prepd --mode admin account create --keychain keeps one`,
  )
}

const SECRET_BYTES = 32
