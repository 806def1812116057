import { timingSafeEqual } from 'node:crypto'
import type { AuditedAct } from '../../contract/console/figures.ts'
import type { Policy, PolicyName } from '../../contract/limits.ts'
import { addressKey } from '../../core/client-address.ts'
import { sha256Bytes, sha256Hex } from '../../core/digest.ts'
import { Failure } from '../../core/failure.ts'
import { LOSS_CONTROL, type Loss, lossText, parseLoss } from '../../core/loss.ts'
import { networkBits, networkKey, networksAround } from '../../core/networks.ts'
import type { ControlChange, Store } from '../../core/ports.ts'
import { SETTING_KINDS } from '../../core/settings/kinds.ts'
import { assertNotBlocked, type LimitRules } from '../limits/limiter.ts'

/** The operator's controls, which persist across restarts: blocked callers, limits of single callers, maintenance. */
export type Controls = LimitRules & {
  /** Throws Failure not_available with the operator's message while writes are closed. */
  readonly assertOpen: () => void
  /** Whether the operator has frozen an account. The id is in lower case. */
  readonly isFrozen: (accountId: string) => boolean
  /** The loss of records that awaits the operator's confirmation; null without such a loss. */
  readonly loss: () => Loss | null
  /** Throws Failure forbidden for a wallet or account that is blocked. */
  readonly assertParty: (party: string) => void
  readonly shown: () => {
    readonly loss: string | null
    readonly maintenance: string | null
    readonly blocks: readonly { readonly caller: string; readonly blockedAtMs: number }[]
    readonly freezes: readonly { readonly account: string; readonly frozenAtMs: number }[]
    readonly limits: readonly {
      readonly policy: string
      readonly key: string
      readonly limit: string
    }[]
  }
  /** Records an action and applies its changes once the record is durable. Throws Failure store_unavailable. */
  readonly commit: (
    entry: Omit<AuditedAct, 'id'>,
    changes?: readonly ControlChange[],
  ) => Promise<void>
}

/** Makes changes in their stored form. */
export const CONTROL_CHANGES = {
  block: (caller: string, atMs: number | null): ControlChange => ({
    kind: 'block',
    key: caller,
    value: atMs === null ? null : String(atMs),
  }),
  freeze: (account: string, atMs: number | null): ControlChange => ({
    kind: 'freeze',
    key: account.toLowerCase(),
    value: atMs === null ? null : String(atMs),
  }),
  limit: (policy: string, key: string, limit: string | null): ControlChange => ({
    kind: 'limit',
    key: `${policy} ${key}`,
    value: limit,
  }),
  loss: (): ControlChange => ({ ...LOSS_CONTROL, value: null }),
  maintenance: (sentence: string | null): ControlChange => ({
    kind: 'maintenance',
    key: '',
    value: sentence,
  }),
} as const

/**
 * An address in the form that rate windows use, a network, or a wallet or account in lower case; null for any other
 * text.
 */
export function parseParty(text: string): string | null {
  if (/^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/.test(text)) return text.toLowerCase()
  return addressKey(text) ?? networkKey(text)
}

/**
 * Loads the stored controls, and reloads them after a change by a different instance. The controls stay empty until the
 * store can be read.
 */
export async function loadControls(store: Store['controls']): Promise<Controls> {
  let kept = emptyControls()
  const policies = new Map<string, Policy | null>()
  const blocks = createBlocks(() => kept.block)

  async function reload(): Promise<void> {
    const controls = await store.load()
    kept = emptyControls()
    blocks.changed()
    policies.clear()
    for (const control of controls) apply(control)
  }

  function apply({ kind, key, value }: ControlChange): void {
    const rows = Object.hasOwn(kept, kind) ? kept[kind as keyof StoredControls] : undefined
    if (value === null) rows?.delete(key)
    else rows?.set(key, value)
    if (kind === 'limit') applyLimit(key, value)
    if (kind === 'block') blocks.changed()
  }

  function applyLimit(key: string, value: string | null): void {
    const policy = value === null ? undefined : SETTING_KINDS.policy.parse(value)
    if (policy === undefined) policies.delete(key)
    else policies.set(key, policy)
  }

  function ownPolicy(policy: PolicyName, key: string): Policy | null | undefined {
    return policies.size === 0 ? undefined : policies.get(`${policy} ${key}`)
  }

  store.watch(() => void reload().catch(ignore))
  await reload().catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
  })
  const { isBlocked } = blocks
  return {
    isBlocked,
    ownPolicy,
    assertOpen: () => {
      const sentence = kept.maintenance.get('')
      if (sentence !== undefined) throw new Failure('not_available', { sentence })
    },
    isFrozen: (accountId) => kept.freeze.size > 0 && kept.freeze.has(accountId),
    loss: () => (kept.loss.size > 0 ? parseLoss(kept.loss.get(LOSS_CONTROL.key)) : null),
    assertParty: (party) => assertNotBlocked({ isBlocked }, party.toLowerCase()),
    shown: () => shownControls(kept),
    commit: async (entry, changes = []) => {
      await store.commit(entry, changes)
      for (const change of changes) apply(change)
    },
  }
}

type StoredControls = Readonly<
  Record<'block' | 'freeze' | 'limit' | 'loss' | 'maintenance', Map<string, string>>
>

/** Checks whether callers are blocked, by name or by network. Call `changed` after each change of the blocks. */
function createBlocks(blocked: () => ReadonlyMap<string, string>) {
  /**
   * The prefix lengths of the blocked networks. A check needs one lookup per length, however many networks are blocked.
   */
  let lengths: ReadonlySet<number> | null = null
  return {
    changed: () => {
      lengths = null
    },
    isBlocked: (key: string): boolean => {
      const all = blocked()
      if (all.size === 0) return false
      if (all.has(key)) return true
      lengths ??= new Set([...all.keys()].map(networkBits).filter((bits) => bits !== null))
      return lengths.size > 0 && networksAround(key, lengths).some((network) => all.has(network))
    },
  }
}

function emptyControls(): StoredControls {
  const [block, freeze, limit] = [new Map(), new Map(), new Map()]
  return { block, freeze, limit, loss: new Map(), maintenance: new Map() }
}

// Ignores a failed reload, because the store announces the change again.
function ignore(): void {}

function shownControls({
  block,
  freeze,
  limit,
  loss,
  maintenance,
}: StoredControls): ReturnType<Controls['shown']> {
  return {
    loss: shownLoss(parseLoss(loss.get(LOSS_CONTROL.key))),
    maintenance: maintenance.get('') ?? null,
    blocks: [...block].map(([caller, atMs]) => ({ caller, blockedAtMs: Number(atMs) })),
    freezes: [...freeze].map(([account, atMs]) => ({ account, frozenAtMs: Number(atMs) })),
    limits: [...limit].map(([name, text]) => {
      const [policy = '', key = ''] = name.split(' ')
      return { policy, key, limit: text }
    }),
  }
}

function shownLoss(loss: Loss | null): string | null {
  return loss && lossText(loss)
}

/** The operator key that an Authorization header matches, or null. During a rotation two keys are valid. */
export function matchingKey(
  authorization: string | null,
  operatorKeys: readonly string[],
): string | null {
  const given = sha256Bytes(authorization ?? '')
  // Always compares the digests of all keys. Digests have equal length, so the time reveals nothing about a key.
  const [match] = operatorKeys.filter((key) => timingSafeEqual(given, sha256Bytes(`Bearer ${key}`)))
  return match ?? null
}

/** A key as the audit shows it: the first 16 hex characters of its SHA-256. */
export function keyFingerprint(operatorKey: string): string {
  return sha256Hex(operatorKey).slice(0, 16)
}
